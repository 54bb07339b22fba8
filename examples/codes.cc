// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// codes LABELS N1 N2 ...: the digits of the first and last label on heads of these lengths, how
// many numbers are no label, and the confusion degree of the heads.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <vector>

#include <mhe/error.h>
#include <mhe/label_space.h>
#include <mhe/plan.h>

int main(int argc, char** argv) try {
  if (argc < 3) {
    std::cerr << "usage: codes LABELS N1 N2 ...\n";
    return 2;
  }
  std::vector<std::uint32_t> lengths;
  for (int i = 2; i < argc; ++i) {
    lengths.push_back(static_cast<std::uint32_t>(std::strtoul(argv[i], nullptr, 10)));
  }
  const std::uint64_t num_labels = std::strtoull(argv[1], nullptr, 10);
  const mhe::LabelSpace space(num_labels, lengths);
  const mhe::LabelSpace all = mhe::LabelSpace::full(lengths);
  std::vector<std::uint32_t> digits(space.num_heads());
  for (const std::uint64_t label : {std::uint64_t{0}, num_labels - 1}) {
    space.digits(label, digits);
    std::cout << space.label(digits) << ":";
    for (const std::uint32_t digit : digits) std::cout << " " << digit;
    std::cout << "\n";
  }
  std::uint64_t phantoms = 0;
  for (std::uint64_t number = 0; number < *all.num_labels(); ++number) {
    all.digits(number, digits);
    phantoms += space.is_phantom(digits) ? 1 : 0;
  }
  std::cout << phantoms << " of " << *space.capacity() << " numbers are no label\n"
            << "confusion degree " << mhe::confusion_degree(mhe::HeadKind::kCascade, lengths)
            << "\n";
} catch (const mhe::Error& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
