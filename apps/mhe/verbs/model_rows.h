// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <mhe/context.h>
#include <mhe/dataset.h>
#include <mhe/input.h>
#include <mhe/model.h>

namespace mhe::app {

/// The rows of a data set as a model takes them: read as its training data was, unless the options
/// say otherwise. Lines that are of no other format are texts.
class ModelRows {
 public:
  /// Throws kInvalidData, saying what was expected and what was found, unless the model can take
  /// such rows: vectors of its kind, or as many text fields as it has, or plain lines. The context,
  /// the model and the names must live as long.
  ModelRows(const Context& context, const Model& model, ReadOptions options, LabelNames& names);

  /// Throws kInvalidData, saying where labels were expected and what was found, if there are none.
  void require_labels() const;

  [[nodiscard]] const Reader& reader() const noexcept { return *reader_; }
  /// Reads the next batch; false at the end.
  [[nodiscard]] bool next();
  [[nodiscard]] const RowBatch& batch() const noexcept { return batch_; }
  /// The rows of the batch, valid until next(). A single text is taken for each field of a model
  /// that has several.
  [[nodiscard]] InputBatch rows() const noexcept { return rows_; }

 private:
  void check_schema() const;
  void check_batch() const;

  const Model& model_;
  std::string name_;
  std::vector<std::string> fields_;
  std::unique_ptr<Reader> reader_;
  RowBatch batch_;
  InputViews views_;
  InputBatch rows_;
};

}  // namespace mhe::app
