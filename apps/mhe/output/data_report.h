// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What `mhe data` tells of the parts that it has written.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "output/console.h"
#include "tasks/task.h"

namespace mhe::app {

/// Rows and labels of a task, for the closing line.
struct TaskTotals {
  std::uint64_t rows = 0;
  std::uint64_t labels = 0;
};

/// Whether for people or for machines.
enum class ReportStyle { kText, kJson };

/// Reads the parts back, which also proves that they can be read, and prints what is in them.
TaskTotals report_task(Console& console, const Context& context, const std::string& directory,
                       const tasks::TaskResult& result, ReportStyle style);

}  // namespace mhe::app
