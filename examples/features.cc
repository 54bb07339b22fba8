// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// features TEXTS OUT: reads texts with labels from any file, turns them into TF-IDF vectors, keeps
// the vectorizer in OUT.vectorizer, and writes the vectors in the format that OUT's ending names.
#include <array>
#include <iostream>
#include <string>

#include <mhe/error.h>
#include <mhe/text.h>

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::cerr << "usage: features TEXTS OUT\n";
    return 2;
  }
  const std::string out = argv[2];
  mhe::check_writable(out);
  const mhe::Context context;
  mhe::LabelNames names;
  const mhe::Dataset texts = mhe::ReadOptions{.path = argv[1]};
  const mhe::Description seen = mhe::describe(context, texts, names);
  std::cout << mhe::format_name(seen.schema.format) << ": " << seen.report.rows << " rows of "
            << seen.text[0].words.min() << " to " << seen.text[0].words.max() << " words, mean "
            << seen.text[0].words.mean() << ", median " << seen.text[0].words.median() << "\n";
  if (!texts.is_rereadable())
    throw mhe::Error(mhe::ErrorCode::kIo, "cannot read twice: " + texts.name());

  const auto reader = mhe::open_reader(context, texts, names);
  mhe::TextOptions options{.word_ngrams = 2, .min_df = 2};
  options.fields = mhe::make_fields(reader->schema().text_fields, {});
  const mhe::FittedText fitted = mhe::fit_text(context, *reader, options);
  fitted.vectorizer.save(out + ".vectorizer");
  const auto vectorizer = mhe::TextVectorizer::open(out + ".vectorizer");
  std::cout << vectorizer.num_features() << " features, the first is "
            << vectorizer.feature_name(mhe::FeatureId{0}) << ", n-grams of up to "
            << vectorizer.options().word_ngrams << " words\n";

  mhe::WriteOptions to{.path = out, .format = mhe::format_of_path(out), .number_labels = true};
  if (to.format == mhe::Format::kAuto) to.format = mhe::parse_format("svmlight");
  const auto again = mhe::open_reader(context, texts, names);
  const auto writer = mhe::open_writer(context, to, vectorizer.transform(again->schema()), names);
  for (mhe::RowBatch batch; again->next(batch);) {
    vectorizer.transform(context, batch);
    writer->write(batch);
  }
  writer->finish();
  std::vector<std::string_view> query(options.fields.size(), "password");
  const auto row = vectorizer.transform(context, mhe::TextRows{query, query.size()});
  std::cout << "\"password\" has " << row.nonzeros() << " features\n";
} catch (const mhe::Error& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
