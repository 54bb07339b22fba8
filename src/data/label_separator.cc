// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "data/label_separator.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "data/label_text.h"
#include "data/number.h"

namespace mhe::data {
namespace {

constexpr std::string_view kBlank = " ";
constexpr std::string_view kComma = ",";

// A text that occurs, and in how many rows.
struct Cell {
  std::string_view text;
  std::size_t rows = 0;
};

std::vector<Cell> distinct_cells(std::span<const std::string> texts) {
  std::vector<Cell> cells;
  std::unordered_map<std::string_view, std::size_t> place;
  for (const std::string& text : texts) {
    const auto [found, is_new] = place.try_emplace(text, cells.size());
    if (is_new) cells.push_back({text, 0});
    ++cells[found->second].rows;
  }
  return cells;
}

// The labels of a text, each once, as add_labels() finds them; of very many the first.
void split_labels(std::string_view text, std::string_view separator,
                  std::vector<std::string_view>& parts) {
  constexpr std::size_t kMost = 64;  // looked through for each that is added
  parts.clear();
  const auto add = [&](std::string_view part) {
    if (!part.empty() && std::find(parts.begin(), parts.end(), part) == parts.end()) {
      parts.push_back(part);
    }
  };
  const std::string_view ends = separator == kBlank ? kBlanks : separator;
  while (!text.empty() && parts.size() < kMost) {
    const std::size_t at = std::min(text.size(), text.find_first_of(ends));
    add(trim(text.substr(0, at)));
    text.remove_prefix(std::min(text.size(), at + 1));
  }
}

bool is_space(char c) {
  return kBlanks.find(c) != std::string_view::npos;
}

// Whether the semicolon at `at` ends a character reference such as "&amp;".
bool ends_reference(std::string_view text, std::size_t at) {
  const std::size_t start = text.substr(0, at).find_last_of("&; \t");
  return start != std::string_view::npos && text[start] == '&' && at - start > 1;
}

// How a character is used in the texts, taken for itself.
struct Use {
  std::size_t all = 0;
  std::size_t tight = 0;  // no blank beside it, nor digits on both sides
  std::size_t in_references = 0;
};

Use use_of(std::span<const Cell> cells, char separator) {
  Use use;
  for (const auto& [text, rows] : cells) {
    for (std::size_t at = text.find(separator); at != std::string_view::npos;
         at = text.find(separator, at + 1)) {
      const char before = at == 0 ? ' ' : text[at - 1];
      const char after = at + 1 == text.size() ? ' ' : text[at + 1];
      ++use.all;
      use.tight += !is_space(before) && !is_space(after) && !(is_digit(before) && is_digit(after));
      use.in_references += separator == ';' && ends_reference(text, at);
    }
  }
  return use;
}

// Where a part stands in the texts that have it.
struct Places {
  std::size_t texts = 0;
  std::size_t rows = 0;
  std::size_t among_others = 0;  // texts that have other parts too
  std::size_t from_front = 0;    // of the first of them
  std::size_t from_back = 0;
  bool front_varies = false;
  bool back_varies = false;

  void add(std::size_t place, std::size_t parts, std::size_t rows_of_text) {
    const std::size_t back = parts - 1 - place;
    if (texts == 0) from_front = place, from_back = back;
    front_varies = front_varies || place != from_front;
    back_varies = back_varies || back != from_back;
    ++texts;
    rows += rows_of_text;
    among_others += parts > 1 ? 1 : 0;
  }
};

// What the texts say about a separator. Parts are counted once for each different text that has
// them among others.
struct Evidence {
  std::size_t texts = 0;  // with several parts
  std::size_t rows = 0;   // that these texts are of
  std::size_t different_parts = 0;
  std::size_t parts = 0;
  std::size_t free = 0;     // stand alone or in another order elsewhere, as labels do
  std::size_t bound = 0;    // stand in four texts or more, always in the same place
  std::size_t stuck = 0;    // recur, but only with the whole of their text, as pieces of a name do
  std::size_t numbers = 0;  // parts that are digits only
  std::size_t ascending = 0;  // texts whose parts are in ascending order

  [[nodiscard]] double share(std::size_t count) const {
    return static_cast<double>(count) / static_cast<double>(std::max<std::size_t>(1, parts));
  }
};

bool is_number(std::string_view text) {
  return std::all_of(text.begin(), text.end(), is_digit);
}

bool are_ascending(const std::vector<std::string_view>& parts) {
  const bool numbers = std::all_of(parts.begin(), parts.end(), is_number);
  return std::is_sorted(parts.begin(), parts.end(), [&](std::string_view a, std::string_view b) {
    return numbers && a.size() != b.size() ? a.size() < b.size() : a < b;
  });
}

Evidence evidence_for(std::string_view separator, std::span<const Cell> cells) {
  constexpr std::size_t kManyTexts = 4;  // of two parts in any order, one in eight stays in place
  Evidence found;
  std::unordered_map<std::string_view, Places> places;
  std::vector<std::string_view> parts;
  for (const auto& [text, rows] : cells) {
    split_labels(text, separator, parts);
    for (std::size_t i = 0; i < parts.size(); ++i) places[parts[i]].add(i, parts.size(), rows);
    if (parts.size() < 2) continue;
    ++found.texts;
    found.rows += rows;
    found.ascending += are_ascending(parts) ? 1 : 0;
  }
  for (const auto& [part, place] : places) {  // sums of whole numbers: in any order
    if (place.among_others == 0) continue;
    ++found.different_parts;
    found.parts += place.among_others;
    if (is_number(part)) found.numbers += place.among_others;
    const bool is_alone_elsewhere = place.among_others < place.texts;
    if (is_alone_elsewhere || (place.front_varies && place.back_varies)) {
      found.free += place.among_others;
    } else if (place.texts >= kManyTexts) {
      found.bound += place.among_others;
    } else if (place.texts == 1 && place.rows > 1) {
      ++found.stuck;
    }
  }
  return found;
}

// Fewer may agree by chance.
constexpr std::size_t kEnoughRows = 20;

bool are_numbers(const Evidence& found) {
  return found.parts > 0 && found.numbers == found.parts;
}

// Of a character that is hardly ever part of a name.
bool separates_strongly(const Evidence& found, std::size_t num_cells) {
  constexpr double kNearlyAll = 0.8;
  constexpr double kSome = 0.05;
  constexpr std::size_t kOften = 10;  // one text in so many
  if (found.texts == 0) return false;
  if (found.rows >= kEnoughRows && found.share(found.stuck) >= kNearlyAll) return false;
  return found.share(found.free) >= kSome || kOften * found.texts >= num_cells;
}

enum class Verdict { kSeparates, kUnclear, kDoesNot };

// Of a character that names have too.
Verdict judge(const Evidence& found) {
  constexpr double kClearly = 0.1;
  constexpr std::size_t kFewest = 4;  // or a single "Congo" beside "Congo, Democratic Republic"
  const double own = found.share(found.free);
  const double tied = found.share(found.bound + found.stuck);
  if (found.free >= kFewest && own >= kClearly && own > tied) return Verdict::kSeparates;
  if (found.rows >= kEnoughRows && tied >= kClearly) return Verdict::kDoesNot;
  return Verdict::kUnclear;
}

// Words of names and sentences recur in other places, as labels do. But labels are often sorted,
// which words are by chance only.
bool are_sorted_lists(const Evidence& found) {
  constexpr std::size_t kFewest = 8;  // texts: of pairs, one in 256 such sets would be sorted
  return found.texts >= kFewest && 20 * found.ascending >= 19 * found.texts;
}

// Or they come in any order: of two that meet several times either is the first. Two words that
// meet again mostly keep their order: of those in English sentences four in five do.
bool are_shuffled_lists(std::span<const Cell> cells) {
  constexpr std::size_t kMostParts = 12;  // of a text: its pairs are 66
  constexpr std::size_t kMostPairs = 200'000;
  constexpr std::size_t kFewest = 8;  // pairs that meet again
  struct Order {
    bool is_swapped = false;
    bool meets_again = false;
  };
  std::unordered_map<std::string_view, std::uint32_t> numbers;
  std::unordered_map<std::uint64_t, std::pair<bool, Order>> pairs;  // low number first
  std::vector<std::string_view> parts;
  for (const Cell& cell : cells) {
    split_labels(cell.text, kBlank, parts);
    if (parts.size() < 2 || parts.size() > kMostParts) continue;
    if (pairs.size() > kMostPairs) break;
    for (std::size_t j = 1; j < parts.size(); ++j) {
      for (std::size_t i = 0; i < j; ++i) {
        const auto number = [&](std::string_view part) -> std::uint64_t {
          return numbers.try_emplace(part, static_cast<std::uint32_t>(numbers.size()))
              .first->second;
        };
        const std::uint64_t first = number(parts[i]);
        const std::uint64_t second = number(parts[j]);
        const bool ascends = first < second;
        const std::uint64_t key = ascends ? first << 32U | second : second << 32U | first;
        const auto [at, is_new] = pairs.try_emplace(key, ascends, Order());
        if (is_new) continue;
        at->second.second.meets_again = true;
        if (at->second.first != ascends) at->second.second.is_swapped = true;
      }
    }
  }
  std::size_t again = 0;
  std::size_t swapped = 0;
  for (const auto& [key, order] : pairs) {
    again += order.second.meets_again ? 1 : 0;
    swapped += order.second.is_swapped ? 1 : 0;
  }
  return again >= kFewest && 5 * swapped >= 2 * again;
}

// Whether a semicolon, a bar or a comma separates. Where blanks do so by default, it has to be in
// half the texts that have blanks, or its parts must clearly be labels.
bool is_mark_taken(const Evidence& found, bool is_strong, const Evidence& blank,
                   std::size_t num_cells, std::string_view by_default) {
  if (found.texts == 0) return false;
  const Verdict verdict = judge(found);
  if (by_default == kBlank && 2 * found.texts < blank.texts && 2 * found.free < found.parts) {
    return false;
  }
  if (is_strong) return separates_strongly(found, num_cells);
  return verdict == Verdict::kSeparates ||
         (verdict == Verdict::kUnclear && by_default != kNoSeparator);
}

// The best of the characters that are seldom or never in names; empty: none of them.
std::string_view guess_mark(std::span<const Cell> cells, const Evidence& blank,
                            std::string_view by_default) {
  constexpr std::array<std::string_view, 3> kMarks = {";", "|", kComma};
  std::string_view best;
  std::size_t best_free = 0;
  for (const std::string_view mark : kMarks) {
    const Use use = use_of(cells, mark.front());
    if (use.all == 0 || 2 * use.in_references > use.all) continue;
    const Evidence found = evidence_for(mark, cells);
    const bool is_strong = mark != kComma || 10 * use.tight >= 9 * use.all || are_numbers(found);
    if (!is_mark_taken(found, is_strong, blank, cells.size(), by_default)) continue;
    if (!best.empty() && found.free <= best_free) continue;
    best = mark;
    best_free = found.free;
  }
  return best;
}

bool is_blank_taken(std::span<const Cell> cells, const Evidence& found,
                    std::string_view by_default) {
  const bool is_default = by_default == kBlank;
  if (found.texts == 0) return is_default;
  if (are_numbers(found)) return is_default || separates_strongly(found, cells.size());
  if (!is_default && judge(found) != Verdict::kSeparates) return false;
  constexpr double kTied = 0.15;
  constexpr double kClearlyMore = 0.2;
  const double tied = found.share(found.bound + found.stuck);
  const bool may_be_names =
      found.rows >= kEnoughRows && tied >= kTied && found.share(found.free) < tied + kClearlyMore;
  if (is_default && !may_be_names) return true;
  if (are_sorted_lists(found)) return true;
  // A few hundred names have about as many words; lists are more than the labels in them.
  return found.different_parts <= found.texts && are_shuffled_lists(cells);
}

// Where labels are texts that may have to be split.
enum class Place { kCell, kJsonString, kLine, kNone };

Place place_of(Format format) {
  switch (format) {
    case Format::kCsv:
    case Format::kTsv:
      return Place::kCell;
    case Format::kJsonl:
      return Place::kJsonString;
    case Format::kTextLines:
    case Format::kNpy:
    case Format::kNpz:
      return Place::kLine;
    case Format::kAuto:
    case Format::kXmc:
    case Format::kXmcPair:
    case Format::kSvmlight:
    case Format::kFastText:
      return Place::kNone;
  }
  return Place::kNone;
}

}  // namespace

void LabelSample::add(std::string_view text) {
  if (is_full()) return;
  ++rows_;
  text = trim(text);
  if (text.empty()) return;
  bytes_ += text.size();
  texts_.emplace_back(text);
}

SeparatorGuess guess_label_separator(std::span<const std::string> texts,
                                     std::string_view by_default) {
  const std::vector<Cell> cells = distinct_cells(texts);
  const auto has = [&](std::string_view characters) {
    return std::any_of(cells.begin(), cells.end(), [&](const Cell& cell) {
      return cell.text.find_first_of(characters) != std::string_view::npos;
    });
  };
  if (!has(";|, \t")) return {std::string(by_default), false};
  const Evidence blank = evidence_for(kBlank, cells);
  const std::string_view mark = guess_mark(cells, blank, by_default);
  if (!mark.empty()) return {std::string(mark), true};
  if (blank.texts > 0 && is_blank_taken(cells, blank, by_default)) {
    return {std::string(kBlank), true};
  }
  // Where the default would split, it was looked at, and is part of names.
  const bool is_in_names = by_default == kBlank ? blank.texts > 0 : has(by_default);
  return {std::string(is_in_names ? kNoSeparator : by_default), is_in_names};
}

std::optional<SuspectSeparator> suspect_separator(const LabelNames& names,
                                                  std::span<const std::uint32_t> counts) {
  constexpr std::size_t kFewest = 20;  // labels
  constexpr double kLikeLabels = 0.3;  // of the parts
  std::size_t labels = 0;
  std::vector<std::string> single;  // labels of one row
  for (std::size_t label = names.num_numbered(); label < names.size(); ++label) {
    labels += counts[label] > 0 ? 1 : 0;
    if (counts[label] == 1)
      single.push_back(names.name(LabelId{static_cast<std::uint32_t>(label)}));
  }
  if (labels < kFewest || 2 * single.size() <= labels) return std::nullopt;
  for (const std::string_view separator :
       {std::string_view(";"), std::string_view("|"), kComma, kBlank}) {
    LabelSample sample;
    std::size_t with = 0;
    for (const std::string& name : single) {
      if (name.find(separator) == std::string::npos) continue;
      ++with;
      sample.add(name);
    }
    if (2 * with <= labels) continue;
    const Evidence found = evidence_for(separator, distinct_cells(sample.texts()));
    const bool is_mark = separator == ";" || separator == "|";
    if (!is_mark && found.share(found.free) < kLikeLabels) continue;
    return SuspectSeparator{std::string(separator), sample.texts().front()};
  }
  return std::nullopt;
}

SeparatorGuess choose_label_separator(const ReadOptions& options, Format format,
                                      std::string_view by_default,
                                      const std::function<void(LabelSample&)>& collect) {
  if (!options.label_separator.empty()) return {options.label_separator, false};
  const DataLayout& expected = options.expected;
  if (!expected.label_separator.empty() && place_of(expected.format) == place_of(format)) {
    return {expected.label_separator, false};
  }
  if (options.live) return {std::string(by_default), false};
  LabelSample sample;
  collect(sample);
  return guess_label_separator(sample.texts(), by_default);
}

void show_first_lines(LineBlocks& lines, LineRule rule, char csv_separator,
                      const std::function<bool(std::string_view)>& take) {
  std::string_view text = lines.peek(LabelSample::kMaxDataBytes);
  const bool is_all = text.size() < LabelSample::kMaxDataBytes;
  while (!text.empty()) {
    const std::size_t end = end_of_first_line(text, rule, csv_separator);
    if (end == std::string_view::npos && !is_all) return;  // cut off
    std::string_view line = text.substr(0, end);
    text.remove_prefix(line.size());
    if (line.ends_with('\n')) line.remove_suffix(1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!take(line)) return;
  }
}

}  // namespace mhe::data
