// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Data sets: files of every format and rows in memory, which are read alike; files written in every
// format; what a data set looks like.
//
// open_reader() looks at the content of a file, next() gives batch after batch in bounded memory,
// parsed on all threads of the Context. Text is read in blocks of 1 MiB, two per thread, with what
// is parsed from them (about as much again) and 4 MiB read ahead. A line longer than a block
// enlarges it, up to 1 GiB; a longer line is an error. So is what takes too much memory to
// decompress. The rows and batches are the same for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <mhe/context.h>
#include <mhe/ids.h>
#include <mhe/input.h>
#include <mhe/label_space.h>

namespace mhe {

/// The file formats of the field; docs/formats.md describes each.
enum class Format {
  kAuto,      ///< decide by content
  kXmc,       ///< "N D L" header, then "l1,l2 f:v f:v" a row
  kXmcPair,   ///< features "N D" and labels "N L" in two files of "i:v i:v" rows
  kSvmlight,  ///< "l1,l2 f:v f:v" a row, no header
  kFastText,  ///< "__label__a __label__b text"
  kCsv,
  kTsv,
  kJsonl,      ///< one JSON object a line
  kTextLines,  ///< a text a line, with the labels of a row a line in a second file
  kNpy,        ///< NumPy array, dense
  kNpz,        ///< NumPy archive: scipy CSR, or one dense array
};

/// Its name, such as "xmc" or "jsonl".
[[nodiscard]] std::string_view format_name(Format format) noexcept;
/// The format of that name. Throws kInvalidArgument, listing the names, if there is none.
[[nodiscard]] Format parse_format(std::string_view name);

/// How a data set is laid out. A model keeps that of its training data, so that other data is read
/// alike.
struct DataLayout {
  Format format = Format::kAuto;               ///< kAuto: not known
  std::vector<std::string> columns = {};       ///< of a table without a header line
  std::vector<std::string> text_columns = {};  ///< of a table, or keys of JSON; not where lines are
                                               ///< texts
  std::string label_column = {};               ///< the same
  std::string label_separator = {};  ///< "\n": labels are not split; empty: the format says
  std::string label_prefix = {};     ///< fastText
  std::optional<std::uint32_t> index_base = {};  ///< first feature id in sparse text

  friend bool operator==(const DataLayout&, const DataLayout&) = default;
};

/// What to read and how; the defaults suit a file that says itself what it is.
struct ReadOptions {
  std::string path = {};          ///< "-" is standard input
  Format format = Format::kAuto;  ///< by content
  std::string label_path = {};    ///< second file: labels of the rows, one line each; or the label
                                  ///< matrix of the two-file XMC form; empty: none
  std::vector<std::string> columns =
      {};  ///< names of the columns of a CSV/TSV without a header line
  std::vector<std::string> text_columns =
      {};  ///< text fields, in this order; empty: chosen by name
  std::vector<std::string> expected_text =
      {};                            ///< text fields to take where there are columns and
                                     ///< text_columns is empty; says also that text is
                                     ///< expected, so that lines of no other format are texts
  std::string label_column = {};     ///< empty: chosen by name ("labels", "label", ...)
  std::string id_column = {};        ///< empty: none unless a column is called "id"
  std::string label_separator = {};  ///< "\n": labels are not split; empty: guessed from the
                                     ///< first rows
  DataLayout expected = {};  ///< that of a model: holds where the above say nothing and the data
                             ///< has such a place. A table or JSON must have the text columns; if
                             ///< it does not have the label column, it has no labels
  std::string label_prefix = {};  ///< fastText: how a label starts; empty: "__label__"
  std::optional<std::uint32_t> index_base = {};  ///< first feature id in sparse text: 0 or 1; none:
                                                 ///< ids are kept as they are
  std::uint64_t skip_bad = 0;  ///< how many bad lines to skip and report before failing
  bool labels_only = false;    ///< tables and JSON need no text, and what they have is not read
  bool live = false;           ///< somebody waits at the other end of the pipe: hand over the rows
                               ///< that are there, do not wait for full blocks
};

/// What is known before the first row.
struct Schema {
  Format format = Format::kAuto;  ///< kAuto: rows in memory
  DataLayout layout = {};
  bool separator_is_guess = false;  ///< layout.label_separator is what the first rows look like
  std::vector<std::string> columns = {};  ///< all that a table has, or keys of the first JSON rows
  InputKind kind = InputKind::kSparse;
  std::vector<std::string> text_fields = {};  ///< names of the text fields, kText only
  bool has_ids = false;                       ///< each row has an id
  bool has_labels = true;
  std::optional<std::uint64_t> declared_rows = {};      ///< by a header
  std::optional<std::uint64_t> declared_features = {};  ///< by a header; dense: the width
  std::optional<std::uint64_t> declared_labels = {};    ///< by a header
};

/// Consecutive rows. Only the parts the schema speaks of are filled.
struct RowBatch {
  std::uint64_t first_row = 0;  ///< number of the first row in the file, from 0
  std::size_t rows = 0;
  Ragged<LabelId> labels;  ///< ascending, each once
  SparseMatrix features;
  DenseMatrix dense;
  std::vector<Strings> text;  ///< [field], rows each; valid UTF-8
  Strings ids;
};

/// What was met on the way; complete once next() has returned false.
struct ReadReport {
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;       ///< after decompression
  std::uint64_t empty_rows = 0;  ///< neither features nor text
  std::uint64_t unlabeled_rows = 0;
  std::uint64_t duplicate_features = 0;  ///< entries merged into another of the same row, by adding
  std::uint64_t duplicate_labels = 0;    ///< labels named twice in a row
  std::vector<std::string> bad_lines =
      {};  ///< skipped under skip_bad, each as the error it would be
};

/// Reads a data set from front to back. Not thread-safe; uses the Context's threads itself.
class Reader {
 public:
  virtual ~Reader() = default;
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  [[nodiscard]] const Schema& schema() const noexcept { return schema_; }
  [[nodiscard]] const ReadReport& report() const noexcept { return report_; }

  /// Replaces `batch` by the next rows; false at the end, when the batch is empty. Throws
  /// kInvalidData with file, line, what was expected and what was found, or kIo.
  [[nodiscard]] virtual bool next(RowBatch& batch) = 0;

 protected:
  Reader() = default;
  Schema schema_;
  ReadReport report_;
};

/// Rows in memory that somebody else keeps for as long as a Dataset or Reader of them lives.
/// Nothing is looked at before it is read: what is wrong with a row is an error of the reader then.
struct MemoryRows {
  std::variant<InputBatch, CsrRows> input = {};
  /// The labels of each row, by name or by number; a label named twice counts once. None of both:
  /// the rows have no labels.
  std::variant<std::monostate, std::span<const std::span<const std::string_view>>,
               std::span<const std::span<const LabelId>>>
      labels = {};
  const LabelNames* names = nullptr;  ///< what labels by number are called; none: by their numbers
  std::span<const std::string_view> ids = {};  ///< of each row, or none at all
  std::vector<std::string> text_fields = {};   ///< names of the fields; none: one, "text"
  std::size_t num_features = 0;                ///< sparse rows; 0: as many as occur
  std::string name = "the rows given";         ///< in messages
};

/// Where rows come from: a file, or memory. Cheap to copy; reads nothing itself.
class Dataset {
 public:
  // Where a data set is asked for, its file or its rows say all.
  Dataset(ReadOptions file);  // NOLINT(google-explicit-constructor)
  Dataset(MemoryRows rows);   // NOLINT(google-explicit-constructor)

  /// How the file is read; null for rows in memory.
  [[nodiscard]] const ReadOptions* file() const noexcept {
    return std::get_if<ReadOptions>(&from_);
  }
  /// The rows in memory; null for a file.
  [[nodiscard]] const MemoryRows* memory() const noexcept {
    return std::get_if<MemoryRows>(&from_);
  }
  /// The path of the file, or what the rows are called.
  [[nodiscard]] const std::string& name() const noexcept;
  /// Whether it can be read again: not if it is standard input or a pipe.
  [[nodiscard]] bool is_rereadable() const;

 private:
  friend class DatasetBuilder;
  std::variant<ReadOptions, MemoryRows> from_;
  std::shared_ptr<const void> owner_;  // of the rows in memory, where that is us: shared by copies
};

/// Gathers a data set row by row: all texts or all vectors, with labels that are all names or all
/// numbers. Everything is copied as it comes. A row may have no labels. All add() throw
/// kInvalidArgument for a row that does not fit, and the row is then not there.
class DatasetBuilder {
 public:
  /// Names or numbers. Nothing: the row has no labels.
  using Labels = std::variant<std::span<const std::string_view>, std::span<const LabelId>>;

  /// Rows of texts, one for each named field. Throws kInvalidArgument without fields or with two of
  /// one name.
  [[nodiscard]] static DatasetBuilder of_texts(std::vector<std::string> fields = {"text"});
  /// Rows of sparse vectors. `num_features` 0: as many as occur; otherwise a higher feature is an
  /// error.
  [[nodiscard]] static DatasetBuilder of_vectors(std::size_t num_features = 0);
  /// Rows of dense vectors, of `width` numbers each.
  [[nodiscard]] static DatasetBuilder of_dense_vectors(std::size_t width);

  ~DatasetBuilder();
  DatasetBuilder(DatasetBuilder&& other) noexcept;
  DatasetBuilder& operator=(DatasetBuilder&& other) noexcept;

  /// A text for each field.
  void add(std::span<const std::string_view> texts, Labels labels);
  /// The same for rows of a single field.
  void add(std::string_view text, std::initializer_list<std::string_view> labels);
  /// Features ascending, values finite.
  void add(const SparseRow& input, Labels labels);
  /// As many finite numbers as a row has.
  void add(DenseRow input, Labels labels);

  [[nodiscard]] std::size_t size() const noexcept;
  /// All rows so far; the builder is then empty and of no further use.
  [[nodiscard]] Dataset build() &&;

 private:
  struct Rows;
  explicit DatasetBuilder(std::unique_ptr<Rows> rows) noexcept;

  std::unique_ptr<Rows> rows_;
};

/// Opens a data set. Labels are looked up in `names` and added to it as they appear, in row order;
/// numbers are ids where `names` holds nothing else, and names such as "17" where it does.
/// `context` and `names` must outlive the reader. Throws kNotFound, kIo, kInvalidData (empty file,
/// unknown format, missing columns) or kInvalidArgument (options that do not fit the format, rows
/// in memory that do not fit each other).
[[nodiscard]] std::unique_ptr<Reader> open_reader(const Context& context, const Dataset& dataset,
                                                  LabelNames& names);

/// Shows the rows of a batch the way prediction takes them.
class InputViews {
 public:
  /// Valid while the batch stays as it is, until the next call. A single text is taken for each of
  /// `num_fields` text fields; 0: as many as the batch has.
  [[nodiscard]] InputBatch of(const RowBatch& batch, std::size_t num_fields = 0);

 private:
  std::vector<SparseRow> sparse_;
  std::vector<DenseRow> dense_;
  std::vector<std::string_view> texts_;
};

/// Where to write and how. A path that ends in .gz, .xz or .zst is compressed so.
struct WriteOptions {
  std::string path = {};              ///< "-" is standard output
  Format format = Format::kAuto;      ///< by the path's ending
  std::string label_path = {};        ///< second file, for formats that keep labels apart
  std::string label_names_path = {};  ///< for formats that number labels: number them in the order
                                      ///< of their ids and write their names here, a line each
  bool number_labels = false;         ///< number them so without writing the names
  std::string label_separator = {};   ///< empty: "," in CSV and TSV, a blank in label lines
  std::string label_prefix = "__label__";          ///< fastText
  std::optional<std::uint64_t> num_features = {};  ///< what a header shall declare at least
  std::optional<std::uint64_t> num_labels = {};    ///< the same for labels
  std::optional<std::uint64_t> num_rows = {};  ///< exactly; a header that needs no more than this
                                               ///< and the two above is written first, and nothing
                                               ///< is set aside on disk for it
};

/// Writes a data set from front to back; the file appears when finish() returns, or not at all.
class Writer {
 public:
  virtual ~Writer() = default;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// Appends the rows of a batch. Throws kInvalidData if the format cannot carry what is in it.
  virtual void write(const RowBatch& batch) = 0;
  /// Completes the file. Call once, last.
  virtual void finish() = 0;

 protected:
  Writer() = default;
};

/// The format that a path's ending names, such as "x.jsonl.gz"; kAuto if none.
[[nodiscard]] Format format_of_path(const std::string& path);

/// Opens a writer for batches of that schema. Memory does not grow with the data: what a header has
/// to say first is found out by way of a temporary file. `context` and `names` must outlive the
/// writer. Throws kInvalidArgument if the format cannot hold such data or its name is not known.
[[nodiscard]] std::unique_ptr<Writer> open_writer(const Context& context,
                                                  const WriteOptions& options, const Schema& schema,
                                                  const LabelNames& names);

/// Reads a data set and writes it, in bounded memory. Labels are those of `names` and new ones.
ReadReport convert(const Context& context, const Dataset& from, const WriteOptions& to,
                   LabelNames& names);

/// Writes a file that appears whole or not at all; "-" is standard output. Throws kIo.
void write_file(const std::string& path, std::string_view bytes);
/// Throws kInvalidArgument or kIo if a file cannot be written there: better now than after long
/// work.
void check_writable(const std::string& path);

/// Exact minimum, median, mean and maximum of whole numbers, none of them kept one by one.
///
/// Memory: 48 bytes or so for each different value; lengths of rows that add up to n bytes have at
/// most sqrt(2 n) different values, 1.4 million for a terabyte.
class Distribution {
 public:
  void add(std::uint64_t value) { add(value, 1); }
  void add(std::uint64_t value, std::uint64_t times);

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] std::uint64_t sum() const noexcept { return sum_; }
  /// 0 if nothing was added, as are the others.
  [[nodiscard]] std::uint64_t min() const noexcept;
  [[nodiscard]] std::uint64_t max() const noexcept;
  [[nodiscard]] double mean() const noexcept;
  /// The mean of the two middle values if their number is even.
  [[nodiscard]] double median() const noexcept;
  /// How often each value was added, ascending.
  [[nodiscard]] const std::map<std::uint64_t, std::uint64_t>& values() const noexcept {
    return values_;
  }

 private:
  [[nodiscard]] std::uint64_t value_at(std::uint64_t place) const noexcept;

  std::map<std::uint64_t, std::uint64_t> values_;
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
};

/// Lengths of one text field.
struct TextFieldDescription {
  Distribution bytes;
  Distribution words;  ///< separated by white space
};

/// What a data set looks like. Memory: a bit for each feature id and 8 bytes for each label id up
/// to the largest, and the distributions.
struct Description {
  Schema schema;
  ReadReport report;
  Distribution features_per_row;
  Distribution labels_per_row;
  std::vector<TextFieldDescription> text;   ///< of each field
  std::vector<std::uint64_t> label_counts;  ///< rows of each label
  std::uint64_t distinct_features = 0;      ///< that occur
  std::uint64_t distinct_labels = 0;        ///< that occur
};

/// Reads a data set to describe it; see open_reader() for names and errors.
[[nodiscard]] Description describe(const Context& context, const Dataset& dataset,
                                   LabelNames& names);

struct NearDuplicateOptions {
  double min_similarity = 0.8;     ///< of near-duplicates
  std::size_t max_rows = 500'000;  ///< if there are more to look for, a random part is
};

struct NearDuplicateReport {
  std::uint64_t rows = 0;        ///< of the file whose rows were looked for
  std::uint64_t empty_rows = 0;  ///< those without text and features, which have no twins
  std::uint64_t looked_for = 0;  ///< of the others, all or a random part
  std::uint64_t exact = 0;       ///< of those looked for: with an exact copy in the other file
  std::uint64_t near = 0;        ///< of those looked for: with a near-duplicate or an exact copy
};

/// Two data sets, and what of the second is not new, seen from the first.
struct Comparison {
  Description first;
  Description second;
  std::uint64_t unseen_labels = 0;       ///< distinct labels of the second, not in the first
  std::uint64_t unseen_occurrences = 0;  ///< of these
  std::uint64_t rows_with_unseen = 0;
  double min_similarity = 0;       ///< of near-duplicates, as it was asked for
  NearDuplicateReport duplicates;  ///< rows of the second that have twins in the first
};

/// Reads the second data set, then looks for its rows while the first passes by: the second had
/// better be the smaller one.
[[nodiscard]] Comparison compare(const Context& context, const Dataset& first,
                                 const Dataset& second, LabelNames& names,
                                 const NearDuplicateOptions& options = {});

}  // namespace mhe
