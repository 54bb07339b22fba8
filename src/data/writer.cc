// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <functional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <mhe/dataset.h>

#include "base/check.h"
#include "base/parallel.h"
#include "data/byte_sink.h"
#include "data/npz_writer.h"
#include "data/row_format.h"
#include "data/zip_writer.h"

namespace mhe {
namespace data {
namespace {

// Rows written by one thread at a stretch; enough of them to pay for a thread.
constexpr std::size_t kWrittenRowsPerBlock = 64;

// What a header has to say.
struct Totals {
  std::uint64_t rows = 0;
  std::uint64_t features = 0;
  std::uint64_t labels = 0;
};
using LateHeader = std::function<std::string(const Totals& totals)>;

// A part of the output that takes batches.
class Output {
 public:
  virtual ~Output() = default;
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  virtual void write(const Context& context, const RowBatch& batch) = 0;
  virtual void finish(const Context& context, const Totals& totals) = 0;

 protected:
  Output() = default;
};

// A file of rows, behind a header that may be known only at the end.
class RowFile final : public Output {
 public:
  RowFile(const Context& context, const std::string& path, std::unique_ptr<RowFormat> format,
          LateHeader late_header = {}, const std::optional<Totals>& known_totals = {})
      : path_(path),
        format_(std::move(format)),
        late_header_(std::move(late_header)),
        sink_(open_sink(path, context.threads())) {
    if (late_header_ && known_totals) {
      sink_->write(late_header_(*known_totals));
    } else if (late_header_) {
      spool_ = std::make_unique<SpoolFile>(path);
    } else {
      sink_->write(format_->header());
    }
  }

  void write(const Context& context, const RowBatch& batch) override {
    pieces_.resize((batch.rows + kWrittenRowsPerBlock - 1) / kWrittenRowsPerBlock);
    parallel_blocks(context, batch.rows, kWrittenRowsPerBlock, [&](const Block& block) {
      std::string& piece = pieces_[block.index];
      piece.clear();
      for (std::size_t row = block.begin; row < block.end; ++row) {
        format_->append(batch, row, piece);
      }
    });
    for (const std::string& piece : pieces_) {
      if (spool_) {
        spool_->write(piece);
      } else {
        sink_->write(piece);
      }
    }
  }

  void finish(const Context& context, const Totals& totals) override {
    if (spool_) {
      sink_->write(late_header_(totals));
      spool_->replay([this](std::string_view piece) { sink_->write(piece); });
    }
    sink_->finish();
    if (format_->num_changed_texts() > 0) {
      context.warn(fmt::format("{}: {} texts had line breaks or tabs, which are written as blanks",
                               path_ == "-" ? "standard output" : path_,
                               format_->num_changed_texts()));
    }
  }

 private:
  std::string path_;
  std::unique_ptr<RowFormat> format_;
  LateHeader late_header_;
  std::unique_ptr<ByteSink> sink_;
  std::unique_ptr<SpoolFile> spool_;
  std::vector<std::string> pieces_;
};

class FeatureArchive final : public Output {
 public:
  FeatureArchive(const Context& context, const std::string& path)
      : file_(path, context.threads()) {}

  void write(const Context& /*context*/, const RowBatch& batch) override {
    for (std::size_t row = 0; row < batch.rows; ++row) file_.add_row(batch.features[row]);
  }
  void finish(const Context& /*context*/, const Totals& totals) override {
    file_.finish(totals.features);
  }

 private:
  CsrFile file_;
};

class LabelArchive final : public Output {
 public:
  LabelArchive(const Context& context, const std::string& path, const LabelNumbers& numbers)
      : file_(path, context.threads()), numbers_(numbers) {}

  void write(const Context& /*context*/, const RowBatch& batch) override {
    for (std::size_t row = 0; row < batch.rows; ++row) {
      numbers_.numbers_of(batch.labels[row], columns_);
      ones_.assign(columns_.size(), 1.0F);
      file_.add_row({columns_, ones_});
    }
  }
  void finish(const Context& /*context*/, const Totals& totals) override {
    file_.finish(totals.labels);
  }

 private:
  CsrFile file_;
  LabelNumbers numbers_;
  std::vector<std::uint32_t> columns_;
  std::vector<float> ones_;
};

bool numbers_labels(const WriteOptions& options) {
  return options.number_labels || !options.label_names_path.empty();
}

class OutputsWriter final : public Writer {
 public:
  OutputsWriter(const Context& context, const WriteOptions& options, const Schema& schema,
                const LabelNames& names)
      : context_(context), options_(options), names_(names) {
    totals_.features =
        std::max(options.num_features.value_or(0), schema.declared_features.value_or(0));
    totals_.labels = options.num_labels.value_or(0);
  }

  // The first added is the last to appear.
  void add(std::unique_ptr<Output> output) { outputs_.push_back(std::move(output)); }
  // Makes the writer count labels by their numbers, for headers.
  void count_labels(const LabelNumbers& numbers) {
    numbers_ = std::make_unique<LabelNumbers>(numbers);
  }

  void write(const RowBatch& batch) override {
    for (const auto& output : outputs_) output->write(context_, batch);
    totals_.rows += batch.rows;
    totals_.features = std::max<std::uint64_t>(
        {totals_.features, batch.features.num_columns, batch.dense.num_columns});
    if (!numbers_) return;
    for (const LabelId label : batch.labels.items) {
      totals_.labels = std::max<std::uint64_t>(totals_.labels, numbers_->number_of(label) + 1U);
    }
  }

  void finish() override {
    require(totals_.rows == options_.num_rows.value_or(totals_.rows),
            "{} rows were announced, {} were written", options_.num_rows.value_or(0), totals_.rows);
    if (options_.num_rows && options_.num_features && options_.num_labels) {
      require(totals_.features <= *options_.num_features && totals_.labels <= *options_.num_labels,
              "{} features and {} labels were announced, {} and {} occurred",
              *options_.num_features, *options_.num_labels, totals_.features, totals_.labels);
    }
    totals_.labels = std::max<std::uint64_t>(
        totals_.labels, numbers_labels(options_) ? names_.size() : names_.num_numbered());
    if (!options_.label_names_path.empty()) write_names();
    for (auto output = outputs_.rbegin(); output != outputs_.rend(); ++output) {
      (*output)->finish(context_, totals_);
    }
  }

 private:
  void write_names() const {
    const auto sink = open_sink(options_.label_names_path, context_.threads());
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const std::string name = names_.name(LabelId{static_cast<std::uint32_t>(i)});
      if (name.find_first_of("\r\n") != std::string::npos) {
        fail(ErrorCode::kInvalidData,
             "the name of label {} holds a line break and cannot be a line", i);
      }
      sink->write(name + "\n");
    }
    sink->finish();
  }

  const Context& context_;
  WriteOptions options_;
  const LabelNames& names_;
  std::vector<std::unique_ptr<Output>> outputs_;
  std::unique_ptr<LabelNumbers> numbers_;
  Totals totals_;
};

std::string_view describe(InputKind kind) {
  switch (kind) {
    case InputKind::kSparse:
      return "sparse features";
    case InputKind::kDense:
      return "dense features";
    case InputKind::kText:
      return "text";
  }
  return "nothing";
}

// Text becomes features only by way of a vocabulary, which is not this layer's business.
void check_kind(Format format, InputKind kind) {
  const bool text_only = format == Format::kFastText || format == Format::kCsv ||
                         format == Format::kTsv || format == Format::kTextLines;
  const bool numbers_only = format == Format::kXmc || format == Format::kXmcPair ||
                            format == Format::kSvmlight || format == Format::kNpy ||
                            format == Format::kNpz;
  const bool text = kind == InputKind::kText;
  require(!(text_only && !text) && !(numbers_only && text),
          "the data holds {}, which cannot be written as {}: that holds {}{}", describe(kind),
          format_name(format), text_only ? "text" : "features",
          text ? "; mhe features makes them of text" : "");
  require(format != Format::kNpy || kind == InputKind::kDense,
          "sparse features cannot be written as npy, which is dense; write npz");
}

// Opens what belongs to one format.
class Opener {
 public:
  Opener(const Context& context, const WriteOptions& options, const Schema& schema,
         const LabelNames& names)
      : context_(context),
        options_(options),
        schema_(schema),
        names_(names),
        numbers_(names,
                 numbers_labels(options) ? LabelNumbers::Rule::kById : LabelNumbers::Rule::kByName),
        writer_(std::make_unique<OutputsWriter>(context, options, schema, names)) {}

  std::unique_ptr<Writer> open(Format format) {
    const bool apart = format == Format::kXmcPair || format == Format::kTextLines ||
                       format == Format::kNpy || format == Format::kNpz;
    require(apart || options_.label_path.empty(),
            "the format {} keeps labels in its rows, so a label file does not go with it",
            format_name(format));
    require(!apart || !schema_.has_labels || !options_.label_path.empty(),
            "the format {} keeps labels apart; name a label file to write them to",
            format_name(format));
    add_rows(format);
    if (apart && schema_.has_labels) add_label_file(format);
    return std::move(writer_);
  }

 private:
  void add(std::unique_ptr<RowFormat> format, LateHeader header = {}) {
    std::optional<Totals> known;
    if (options_.num_rows && options_.num_features && options_.num_labels) {
      known = Totals{*options_.num_rows, *options_.num_features, *options_.num_labels};
    }
    writer_->add(std::make_unique<RowFile>(context_, options_.path, std::move(format),
                                           std::move(header), known));
  }

  void add_rows(Format format) {
    switch (format) {
      case Format::kXmc:
        writer_->count_labels(numbers_);
        return add(make_xmc_format(numbers_), [](const Totals& totals) {
          return fmt::format("{} {} {}\n", totals.rows, totals.features, totals.labels);
        });
      case Format::kXmcPair:
        return add(make_feature_format(), [](const Totals& totals) {
          return fmt::format("{} {}\n", totals.rows, totals.features);
        });
      case Format::kSvmlight:
        return add(make_svmlight_format(names_));
      case Format::kFastText:
        return add(make_fasttext_format(names_, options_.label_prefix));
      case Format::kCsv:
      case Format::kTsv:
        return add(make_table_format(schema_, names_, format, separator(",")));
      case Format::kJsonl:
        return add(make_jsonl_format(schema_, names_));
      case Format::kTextLines:
        return add(make_text_line_format());
      case Format::kNpy:
        return add(make_raw_float_format(), [](const Totals& totals) {
          return npy_header("<f4", {totals.rows, totals.features});
        });
      case Format::kNpz:
        return add_archive();
      case Format::kAuto:
        break;
    }
    fail(ErrorCode::kInvalidArgument, "the name {} does not tell the format to write",
         options_.path);
  }

  void add_archive() {
    require(schema_.kind == InputKind::kSparse,
            "dense features cannot be written as npz, which is sparse; write npy");
    writer_->add(std::make_unique<FeatureArchive>(context_, options_.path));
  }

  void add_label_file(Format format) {
    const std::string& path = options_.label_path;
    if (path.ends_with(".npz")) {
      writer_->count_labels(numbers_);
      writer_->add(std::make_unique<LabelArchive>(context_, path, numbers_));
    } else if (format == Format::kXmcPair) {
      writer_->count_labels(numbers_);
      writer_->add(std::make_unique<RowFile>(
          context_, path, make_label_matrix_format(numbers_),
          [](const Totals& totals) { return fmt::format("{} {}\n", totals.rows, totals.labels); }));
    } else {
      writer_->add(std::make_unique<RowFile>(context_, path,
                                             make_label_line_format(names_, separator(" "))));
    }
  }

  [[nodiscard]] std::string separator(const char* otherwise) const {
    return options_.label_separator.empty() ? otherwise : options_.label_separator;
  }

  const Context& context_;
  const WriteOptions& options_;
  const Schema& schema_;
  const LabelNames& names_;
  LabelNumbers numbers_;
  std::unique_ptr<OutputsWriter> writer_;
};

}  // namespace
}  // namespace data

Format format_of_path(const std::string& path) {
  static constexpr std::array<std::pair<std::string_view, Format>, 12> kEndings = {{
      {".jsonl", Format::kJsonl},
      {".json", Format::kJsonl},
      {".ndjson", Format::kJsonl},
      {".csv", Format::kCsv},
      {".tsv", Format::kTsv},
      {".svm", Format::kSvmlight},
      {".svmlight", Format::kSvmlight},
      {".libsvm", Format::kSvmlight},
      {".xmc", Format::kXmc},
      {".ft", Format::kFastText},
      {".npy", Format::kNpy},
      {".npz", Format::kNpz},
  }};
  const std::string_view stem = data::without_compression(path);
  for (const auto& [ending, format] : kEndings) {
    if (stem.ends_with(ending)) return format;
  }
  return Format::kAuto;
}

std::unique_ptr<Writer> open_writer(const Context& context, const WriteOptions& options,
                                    const Schema& schema, const LabelNames& names) {
  const Format format =
      options.format == Format::kAuto ? format_of_path(options.path) : options.format;
  data::check_kind(format, schema.kind);
  return data::Opener(context, options, schema, names).open(format);
}

}  // namespace mhe
