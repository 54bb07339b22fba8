// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// A member of a model: something that finds labels for a row and can write itself. A model ranks by
// the mean score of its members.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <mhe/ids.h>
#include <mhe/input.h>
#include <mhe/plan.h>

#include "model/head_targets.h"
#include "model/model_file.h"
#include "model/model_file_writer.h"

namespace mhe::model {

/// How far a search goes.
struct SearchDepth {
  std::size_t labels = 0;  ///< the best so many of a row
  std::size_t beam = 0;    ///< nodes kept a level; 0: as the member was trained
};

/// Searches one member. Holds the scratch space, so one per thread; allocates nothing once it has
/// seen the largest input. The member must outlive it.
class MemberSearch {
 public:
  virtual ~MemberSearch() = default;
  MemberSearch(const MemberSearch&) = delete;
  MemberSearch& operator=(const MemberSearch&) = delete;

  /// Takes rows of the member's kind, sparse ones of length 1; they must stay as they are until the
  /// next call.
  virtual void begin(const InputBatch& rows) = 0;
  /// Appends the best labels of one of these rows to `found`, best first, equal ones by the smaller
  /// id.
  virtual void search(std::size_t row, const SearchDepth& depth,
                      std::vector<ScoredLabel>& found) = 0;

  /// What each head chose by itself in the last search: digits of product heads, nodes of the
  /// levels of a cascade. None of other heads.
  [[nodiscard]] virtual std::span<const std::uint32_t> best_choices() const { return {}; }
  /// Probability that product heads gave to numbers that are no label in the last search.
  [[nodiscard]] virtual double phantom_mass() const { return 0; }
  /// The k most probable sets of labels for the row of the last search, best first. Throws
  /// kInvalidArgument unless the member predicts sets.
  [[nodiscard]] virtual std::vector<LabelSet> best_sets(std::size_t k);

 protected:
  MemberSearch() = default;
};

/// Immutable once trained; many threads may use one.
class Member {
 public:
  virtual ~Member() = default;
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  /// Of the table in members.cc, under which a file holds it.
  [[nodiscard]] virtual std::string_view kind() const noexcept = 0;
  /// How labels are coded. A cascade of one level is one-hot.
  [[nodiscard]] virtual HeadKind head_kind() const noexcept = 0;
  /// Sparse or dense; text becomes sparse rows before a member sees it.
  [[nodiscard]] virtual InputKind input_kind() const noexcept = 0;
  [[nodiscard]] virtual bool predicts_sets() const noexcept { return false; }
  /// Whether members of its kind that follow each other are in one part of a file.
  [[nodiscard]] virtual bool shares_part() const noexcept { return true; }
  /// Labels from `num_labels` on are never found: a file that is damaged may name them.
  [[nodiscard]] virtual std::unique_ptr<MemberSearch> make_search(std::size_t num_labels) const = 0;
  /// What each head has to choose for a label; none for heads that choose nothing on the way to it.
  [[nodiscard]] virtual std::optional<HeadTargets> head_targets(std::size_t num_labels) const = 0;
  /// Adds its tensors, named from `prefix` on, and what a card has beside them. `index` counts
  /// members of one kind. The member must live until the writer has committed.
  virtual void write(ModelFileWriter& writer, const std::string& prefix, std::size_t index,
                     nlohmann::ordered_json& card) const = 0;

 protected:
  Member() = default;
  Member(Member&&) noexcept = default;
  Member& operator=(Member&&) noexcept = default;
};

using Members = std::vector<std::unique_ptr<const Member>>;
/// Members that somebody else owns.
using MemberSpan = std::span<const Member* const>;

/// Where members lie in a file.
struct MembersPlace {
  const ModelFile& file;
  std::string prefix = {};  ///< of the names of their tensors
  std::size_t num_labels = 0;
  std::size_t num_features = 0;
};

/// Opens the members of a kind. Looks at the header and the sizes of the tensors; their contents
/// are taken as they come, and if they are damaged predictions are wrong, but finite. Throws
/// kInvalidData with the reason if they are not sound.
[[nodiscard]] Members open_members(std::string_view kind, const MembersPlace& place,
                                   const nlohmann::json& card);

/// Writes members, and returns what the card says of them, "kind" first.
[[nodiscard]] nlohmann::ordered_json write_members(ModelFileWriter& writer, MemberSpan members);

}  // namespace mhe::model
