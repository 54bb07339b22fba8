// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What `mhe train --report` writes: one page of HTML that needs nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <mhe/train.h>

#include "output/console.h"
#include "output/phase_clock.h"

namespace mhe::app {

/// A piece of the model.
struct ModelPart {
  std::string name;
  std::uint64_t bytes = 0;
};

struct TrainingPage {
  const TrainingHistory& history;
  std::string model;              ///< its path
  std::string data;               ///< path of what it was trained on
  std::string rows_kind;          ///< what validation rows are: "held-out" or "validation"
  std::string shape;              ///< such as "heads of 107 x 40"
  std::vector<Phase> phases;      ///< in any order
  std::vector<ModelPart> parts;   ///< in any order
  std::uint64_t model_bytes = 0;  ///< of the file
  Usage usage;
  std::size_t threads = 1;
  std::string isa;
};

/// The page; well-formed XML, too. All names are escaped.
[[nodiscard]] std::string training_page(const TrainingPage& page);

/// The parts of a model file.
[[nodiscard]] std::vector<ModelPart> model_parts(const std::string& path);

/// A page to be written when a training has ended.
class PageFile {
 public:
  /// Looks whether `path` can be written, before training; empty: there is no page.
  explicit PageFile(std::string path);

  struct Run {
    std::string model;
    std::string data;
    std::string rows_kind;  ///< as in TrainingPage, like what follows
    std::string shape;
    std::size_t threads = 1;
  };
  /// Writes the page and says so.
  void write(Console& console, const PhaseClock& clock, const TrainingHistory& history,
             const Run& run);

 private:
  std::string path_;
};

}  // namespace mhe::app
