// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/evaluator.h"
