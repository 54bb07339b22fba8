// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// A trained model: open it once, share it, and give each thread a session (<mhe/predict.h>).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mhe/dataset.h>
#include <mhe/ids.h>
#include <mhe/input.h>
#include <mhe/label_space.h>
#include <mhe/plan.h>

namespace mhe {

class Context;
namespace model {
class Model;
}

/// Whether the checksums of the weights are compared when a model is opened. That of the header
/// always is.
enum class Verify : std::uint8_t {
  kIfSmall,  ///< if the file has 256 MB at most: reading it takes some tens of milliseconds
  kAll,      ///< reads the whole file
  kNone,  ///< opening takes less than a millisecond whatever the size; damage is then not noticed
};

/// A trained model, mapped from its file. Immutable and cheap to copy: copies share it. Many
/// threads may use one.
class Model {
 public:
  /// Throws Error: kNotFound, kIo, or kInvalidData with the reason if it is not a model that this
  /// version reads, or damaged.
  [[nodiscard]] static Model open(const std::string& path, Verify verify = Verify::kIfSmall);

  [[nodiscard]] std::size_t num_labels() const noexcept;
  [[nodiscard]] std::size_t num_features() const noexcept;
  /// What it takes.
  [[nodiscard]] InputKind input_kind() const noexcept;
  /// Names of the text fields that a document has, in order; empty if the model takes vectors.
  [[nodiscard]] std::vector<std::string> text_fields() const;
  /// How to read a data set the way the training data was read: format, columns, what separates
  /// labels. Options that are set then go first. Of the oldest models only the text fields are
  /// known.
  [[nodiscard]] ReadOptions read_options(std::string path) const;
  /// How labels are coded; of a model that mixes heads, cascade if one of them is.
  [[nodiscard]] HeadKind head_kind() const noexcept;
  /// Whether it was trained to predict sets of labels (a powerset).
  [[nodiscard]] bool predicts_sets() const noexcept;

  /// The name a label had in the training data. Throws kInvalidArgument if there is no such label.
  [[nodiscard]] std::string label_name(LabelId label) const;
  /// All names, as a dictionary that data with labels can be read with.
  [[nodiscard]] LabelNames label_names() const;
  /// The label of a name, if there is one. The first call makes a dictionary of all names.
  [[nodiscard]] std::optional<LabelId> find_label(std::string_view name) const;
  /// Rows it was trained on.
  [[nodiscard]] std::uint64_t training_rows() const noexcept;
  /// Training rows of each label.
  [[nodiscard]] std::span<const std::uint32_t> label_counts() const noexcept;
  /// What each head chooses from: digits of product heads, nodes of the levels of a cascade, of the
  /// first member. Empty for heads that choose nothing on the way to a label.
  [[nodiscard]] std::vector<std::uint64_t> head_choices() const;

  /// Compares all checksums, on the threads of the context. Throws kInvalidData, naming what is
  /// damaged.
  void verify(const Context& context) const;

  /// The library's side.
  [[nodiscard]] const model::Model& internals() const noexcept { return *impl_; }

 private:
  explicit Model(std::shared_ptr<const model::Model> impl) noexcept : impl_(std::move(impl)) {}
  friend class Session;

  std::shared_ptr<const model::Model> impl_;  // shared by copies and sessions: it is immutable
};

/// A tensor of a file.
struct TensorCard {
  std::string name;
  std::string dtype;  ///< as safetensors calls it, such as "F32"
  std::vector<std::uint64_t> shape;
  std::uint64_t bytes = 0;
  std::uint64_t file_offset = 0;
};

/// What is in a safetensors file, a model or another's.
struct FileCard {
  std::optional<std::uint64_t> format_version;  ///< of an mhe model; none: another's file
  std::string mhe_version;                      ///< that wrote it
  std::uint64_t file_bytes = 0;
  std::uint64_t header_bytes = 0;
  std::uint64_t padding_bytes = 0;
  std::map<std::string, std::string, std::less<>> metadata;  ///< "model": its card, "options", ...
  std::vector<TensorCard> tensors;
  std::optional<std::vector<std::string>> damaged;  ///< tensors; none: nobody looked
};

/// Reads the card of a file; with a context it also looks for damage, on its threads. Throws
/// kNotFound, kIo, or kInvalidData if it is not a safetensors file.
[[nodiscard]] FileCard read_card(const std::string& path, const Context* verify = nullptr);
/// One line about tensors that are damaged, of which there is one at least.
[[nodiscard]] std::string describe_damage(std::span<const std::string> damaged);
/// Text of a file as it can be shown: control characters escaped, cut to `max_bytes`.
[[nodiscard]] std::string printable(std::string_view text, std::size_t max_bytes);
/// The same for a name in a message: in quotes, of moderate length.
[[nodiscard]] std::string in_quotes(std::string_view name);

}  // namespace mhe
