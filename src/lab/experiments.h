// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The experiments of `mhe lab`: statements of the paper, tried on numbers. docs/lab.md tells what
// each is about and what it gave. All throw kInvalidArgument for options out of range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <mhe/context.h>

#include "lab/report.h"

namespace mhe::lab {

struct TheoremOneOptions {
  std::size_t draws = 10'000;

  template <class Visitor>
  void visit(Visitor&& v) {
    v("draws", draws, "sets of heads that are drawn per number of heads and seed");
  }
};
/// The largest element of a product of heads is that of their largest elements: of outputs that are
/// not negative; how often it is of others.
[[nodiscard]] Report theorem_1(const Context& context, const TheoremOneOptions& options,
                               const Seeds& seeds);

struct CorollaryOneOptions {
  std::size_t draws = 1'000;
  std::uint32_t length = 16;

  template <class Visitor>
  void visit(Visitor&& v) {
    v("draws", draws, "outputs that are drawn per row and seed");
    v("length", length, "of each of two heads: the labels are its square");
  }
};
/// How near a product of heads must be to the outputs of a one-hot classifier for both to predict
/// the same label (Eq. 9), and whether the nearest product does.
[[nodiscard]] Report corollary_1(const Context& context, const CorollaryOneOptions& options,
                                 const Seeds& seeds);

struct TheoremTwoOptions {
  std::size_t dim = 8;
  std::size_t classes = 8;
  std::size_t width = 3;
  std::size_t starts = 20;

  template <class Visitor>
  void visit(Visitor&& v) {
    v("dim", dim, "numbers of a sample");
    v("classes", classes, "classes");
    v("width", width, "units of the bottleneck");
    v("starts", starts, "random starts per row and seed");
  }
};
/// Whether minimising the Frobenius loss of a bottleneck (Eq. 17, 18) always ends at the optimum
/// that is known from singular values, and whether all other critical points can be left downwards.
[[nodiscard]] Report theorem_2(const Context& context, const TheoremTwoOptions& options,
                               const Seeds& seeds);

struct TheoremThreeOptions {
  std::size_t classes = 20;
  std::size_t samples = 5;
  std::vector<std::size_t> dims = {2, 5, 20, 50, 100};
  double noise = 0.1;
  std::size_t steps = 20'000;

  template <class Visitor>
  void visit(Visitor&& v) {
    v("classes", classes, "classes");
    v("samples", samples, "samples of each class");
    v("dims", dims, "numbers of a sample: a row for each of these");
    v("noise", noise, "deviation of the samples of a class; its centre has deviation 1");
    v("steps", steps, "of Adam at most");
  }
};
/// Training accuracy of bottlenecks of one and two units, with and without bias, against that of a
/// one-hot classifier on the same separable samples.
[[nodiscard]] Report theorem_3(const Context& context, const TheoremThreeOptions& options,
                               const Seeds& seeds);

struct TheoremFourOptions {
  std::size_t draws = 10'000;
  std::size_t classes = 100;

  template <class Visitor>
  void visit(Visitor&& v) {
    v("draws", draws, "pairs of outputs that are drawn per row and seed");
    v("classes", classes, "classes");
  }
};
/// The distance of two softmaxes against the bound of Eq. 20, and against one that holds.
[[nodiscard]] Report theorem_4(const Context& context, const TheoremFourOptions& options,
                               const Seeds& seeds);

struct BottleneckOptions {
  std::size_t samples = 100;
  std::size_t dim = 100;
  std::vector<std::size_t> widths = {1, 2, 5, 10};
  std::vector<double> temperatures = {0.1, 10};
  double rate = 0.1;
  std::vector<double> rates = {0.03, 0.3};
  std::size_t steps = 100'000;
  double tolerance = 1e-5;

  template <class Visitor>
  void visit(Visitor&& v) {
    v("samples", samples, "samples, each of a class of its own");
    v("dim", dim, "numbers of a sample");
    v("widths", widths, "units of the bottleneck, |O_b|");
    v("temperatures", temperatures, "other temperatures than 1 for the first width, with bias");
    v("rate", rate, "learning rate of Adam, for cross-entropy");
    v("rates", rates, "other rates for the first width, with bias");
    v("steps", steps, "of Adam, for cross-entropy, or L-BFGS, for Frobenius, at most");
    v("tolerance", tolerance, "singular values below this share of the largest count as 0");
  }
};
/// Fig. 5 a and b: accuracy and rank of a bottleneck under the Frobenius loss and cross-entropy.
[[nodiscard]] Report bottleneck(const Context& context, const BottleneckOptions& options,
                                const Seeds& seeds);

/// Generated data on which small heads are trained: points around the centres of classes.
struct HeadTaskOptions {
  std::size_t rows_per_label = 20;  ///< to train on; as many again to test
  std::size_t dim = 32;
  double noise = 1;
  std::size_t hidden = 256;
  std::size_t epochs = 40;

  template <class Visitor>
  void visit(Visitor&& v) {
    v("rows_per_label", rows_per_label, "training rows of a label; there are as many to test");
    v("dim", dim, "numbers of a row");
    v("noise", noise, "deviation of the rows of a label; its centre has deviation 1");
    v("hidden", hidden, "width of the hidden layer, whose outputs the heads see");
    v("epochs", epochs, "passes over the training rows");
  }
};

struct ErrorAccumulationOptions {
  std::size_t bits = 8;
  HeadTaskOptions task = {};

  template <class Visitor>
  void visit(Visitor&& v) {
    v("bits", bits, "there are 2^bits labels, and 1 to that many heads");
    task.visit(v);
  }
};
/// Eq. 14: what each further head costs, approximating outputs and in training.
[[nodiscard]] Report error_accumulation(const Context& context,
                                        const ErrorAccumulationOptions& options,
                                        const Seeds& seeds);

struct ConfusionOptions {
  std::uint32_t labels = 100;
  std::uint32_t candidates = 1;
  HeadTaskOptions task = {};

  template <class Visitor>
  void visit(Visitor&& v) {
    v("labels", labels, "labels; every way to write their number as a product is tried");
    v("candidates", candidates, "parents that a cascade keeps");
    task.visit(v);
  }
};
/// Eq. 15: the confusion degree of head lengths against the error of heads trained with them.
[[nodiscard]] Report confusion(const Context& context, const ConfusionOptions& options,
                               const Seeds& seeds);

}  // namespace mhe::lab
