// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "labels/order_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <numeric>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "labels/order.h"

namespace mhe {
namespace labels {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

template <class Number>
bool parse_number(std::string_view text, Number& number) {
  const auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  return status == std::errc() && stop == text.data() + text.size() && !text.empty();
}

// Text for an error, not longer than a person wants to read.
std::string_view shown(std::string_view text) {
  constexpr std::size_t kMost = 60;
  return text.substr(0, kMost);
}

class OrderParser {
 public:
  OrderParser(const std::string& path, const LabelNames& names)
      : path_(path), names_(names), line_of_(names.size(), 0) {}

  OrderFile run(std::istream& lines) {
    std::string line;
    for (line_ = 1; std::getline(lines, line); ++line_) {
      std::string_view text = line;
      if (line_ == 1 && text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
      if (text.ends_with('\r')) text.remove_suffix(1);
      if (!text.empty()) add(text);
    }
    // Not at its end: the stream broke.
    if (!lines.eof()) fail(ErrorCode::kIo, "cannot read {} beyond line {}", path_, line_ - 1);
    require_all();
    sort();
    return finish();
  }

 private:
  struct Entry {
    std::uint64_t position = 0;
    std::size_t line = 0;
    std::size_t digits = 0;  // where its digits begin
    LabelId label = {};
    bool is_known = false;  // to the model
  };

  template <class... Args>
  [[noreturn]] void fail_at(std::size_t line, fmt::format_string<Args...> what,
                            Args&&... args) const {
    fail(ErrorCode::kInvalidData, "{}:{}: {}", path_, line,
         fmt::format(what, std::forward<Args>(args)...));
  }

  void add(std::string_view text) {
    std::array<std::string_view, 3> columns;
    std::size_t count = 0;
    for (std::size_t begin = 0; begin <= text.size(); ++count) {
      const std::size_t end = std::min(text.find('\t', begin), text.size());
      if (count == columns.size()) fail_at(line_, "more than 3 columns");
      columns[count] = text.substr(begin, end - begin);
      begin = end + 1;
    }
    if (count < 2) {
      fail_at(line_, "expected a position, a tab and a label, found \"{}\"", shown(text));
    }
    Entry entry = {.line = line_, .digits = digits_.size()};
    if (!parse_number(columns[0], entry.position)) {
      fail_at(line_, "expected a position, a whole number, found \"{}\"", shown(columns[0]));
    }
    add_label(unescape(columns[1]), entry);
    add_digits(columns[2], count == columns.size());
    entries_.push_back(entry);
  }

  [[nodiscard]] std::string unescape(std::string_view text) const {
    std::string name;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '\\') {
        name += text[i];
        continue;
      }
      constexpr std::string_view kWritten = "tnr\\";
      constexpr std::string_view kMeant = "\t\n\r\\";
      const std::size_t found = ++i < text.size() ? kWritten.find(text[i]) : kWritten.npos;
      if (found == kWritten.npos) {
        fail_at(line_, "a backslash in \"{}\" that begins none of \\t, \\n, \\r and \\\\",
                shown(text));
      }
      name += kMeant[found];
    }
    return name;
  }

  void add_label(const std::string& name, Entry& entry) {
    std::size_t before = 0;
    if (const auto label = names_.find(name)) {
      entry.label = *label;
      entry.is_known = true;
      before = std::exchange(line_of_[index_of(*label)], line_);
    } else {
      const std::size_t other = index_of(others_.intern(name));
      if (other < line_of_other_.size()) before = line_of_other_[other];
      line_of_other_.resize(others_.size());
      line_of_other_[other] = line_;
    }
    if (before > 0) {
      fail_at(line_, "the label \"{}\" stands on line {} already", shown(name), before);
    }
  }

  void add_digits(std::string_view text, bool has_column) {
    std::size_t count = 0;
    for (std::size_t begin = 0; has_column && begin <= text.size(); ++count) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      std::uint32_t digit = 0;
      if (!parse_number(text.substr(begin, end - begin), digit)) {
        fail_at(line_, "expected digits such as 3,14, found \"{}\"", shown(text));
      }
      digits_.push_back(digit);
      begin = end + 1;
    }
    if (entries_.empty()) num_heads_ = count;
    if (count == num_heads_) return;
    fail_at(line_, "{} digits; the lines before have {}", count, num_heads_);
  }

  void require_all() const {
    const std::size_t missing =
        static_cast<std::size_t>(std::count(line_of_.begin(), line_of_.end(), std::size_t{0}));
    if (missing == 0) return;
    const auto first = std::find(line_of_.begin(), line_of_.end(), std::size_t{0});
    const auto label = static_cast<std::uint32_t>(first - line_of_.begin());
    fail(ErrorCode::kInvalidData,
         "{}: no line for the label \"{}\"{}; each of the {} labels that are trained needs one",
         path_, shown(names_.name(LabelId{label})),
         missing > 1 ? fmt::format(" and {} others", missing - 1) : "", line_of_.size());
  }

  void sort() {
    std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
      return std::pair(a.position, a.line) < std::pair(b.position, b.line);
    });
    for (std::size_t i = 1; i < entries_.size(); ++i) {
      const Entry& before = entries_[i - 1];
      const Entry& entry = entries_[i];
      if (before.position == entry.position) {
        fail_at(entry.line, "position {} was given on line {} already", entry.position,
                before.line);
      }
      const auto digits_of = [&](const Entry& of) {
        return std::span(digits_).subspan(of.digits, num_heads_);
      };
      const auto low = digits_of(before);
      const auto high = digits_of(entry);
      if (num_heads_ == 0 ||
          std::lexicographical_compare(low.begin(), low.end(), high.begin(), high.end())) {
        continue;
      }
      fail_at(entry.line, "digits {} do not come behind {} of line {}, but position {} behind {}",
              fmt::join(high, ","), fmt::join(low, ","), before.line, entry.position,
              before.position);
    }
  }

  OrderFile finish() const {
    OrderFile file = {.path = path_, .num_heads = num_heads_};
    for (const Entry& entry : entries_) {
      if (!entry.is_known) {
        ++file.others;
        continue;
      }
      file.labels.push_back(entry.label);
      file.positions.push_back(entry.position);
      const auto digits = std::span(digits_).subspan(entry.digits, num_heads_);
      file.digits.insert(file.digits.end(), digits.begin(), digits.end());
    }
    return file;
  }

  const std::string& path_;
  const LabelNames& names_;
  std::size_t line_ = 0;
  std::vector<std::size_t> line_of_;  // [label], 0: none yet
  LabelNames others_;
  std::vector<std::size_t> line_of_other_;
  std::size_t num_heads_ = 0;
  std::vector<std::uint32_t> digits_;
  std::vector<Entry> entries_;
};

}  // namespace

bool OrderFile::is_for(std::span<const std::uint32_t> lengths) const {
  if (positions.empty() || num_heads != lengths.size()) return false;
  const LabelSpace space = LabelSpace::full({lengths.begin(), lengths.end()});
  if (!space.capacity() || positions.back() >= *space.capacity()) return false;
  std::vector<std::uint32_t> expected(num_heads);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    space.digits(positions[i], expected);
    const auto found = std::span(digits).subspan(i * num_heads, num_heads);
    if (!std::equal(expected.begin(), expected.end(), found.begin())) return false;
  }
  return true;
}

LabelOrder OrderFile::place(std::vector<std::uint32_t> lengths, Placement placement) const {
  const Slots slots(labels.size(), lengths, placement);
  const bool is_exact = placement == Placement::kSpread && is_for(lengths);
  std::vector<std::uint64_t> places(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    places[index_of(labels[i])] = is_exact ? positions[i] : slots.position(i);
  }
  return {std::move(lengths), std::move(places)};
}

OrderFile parse_order(std::istream& lines, const std::string& path, const LabelNames& names) {
  return OrderParser(path, names).run(lines);
}

OrderFile read_order_file(const std::string& path, const LabelNames& names) {
  std::ifstream file(path);
  if (!file)
    fail(ErrorCode::kIo, "cannot open {}: {}", path, std::generic_category().message(errno));
  return parse_order(file, path, names);
}

}  // namespace labels

LabelOrder read_order(const std::string& path, const LabelNames& names,
                      std::vector<std::uint32_t> lengths, Placement placement) {
  return labels::read_order_file(path, names).place(std::move(lengths), placement);
}

}  // namespace mhe
