// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The style sheet of a report: light and dark as the reader's system is, light on paper.
#pragma once

#include <string_view>

namespace mhe::app {

inline constexpr std::string_view kReportStyle = R"css(
:root { color-scheme: light dark; --page: #f6f7f9; --card: #ffffff; --ink: #1c2330; --soft: #5d6778;
  --line: #dfe3ea; --c1: #2f6fd0; --c2: #d9730d; --c3: #1b8a6b; --c4: #8a52c7; --c5: #b8860b; --c6: #c2375f;
  --right: #1b8a6b; --wrong: #d9730d; }
@media (prefers-color-scheme: dark) {
  :root { --page: #12151b; --card: #1b2028; --ink: #e6e9ef; --soft: #9aa5b8; --line: #323a47;
    --c1: #6ea8fe; --c2: #f0a04b; --c3: #4cc9a0; --c4: #b794f4; --c5: #e3c04f; --c6: #f27d9d;
    --right: #35a884; --wrong: #d98432; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 32px 24px 48px; }
h1 { font-size: 28px; line-height: 1.2; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 20px; margin: 40px 0 4px; }
h3 { font-size: 15px; margin: 0 0 2px; }
p { margin: 0 0 12px; max-width: 75ch; }
.lead, .note { color: var(--soft); }
.note { font-size: 13.5px; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(132px, 1fr)); gap: 12px; margin: 20px 0 0; }
.card, .panel { background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
.card { padding: 12px 14px; }
.card b { display: block; font-size: 22px; font-weight: 650; line-height: 1.3; white-space: nowrap; font-variant-numeric: tabular-nums; }
.card span { color: var(--soft); font-size: 13.5px; }
.grid { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(440px, 100%), 1fr)); gap: 16px; margin-top: 12px; }
.panel { padding: 16px 18px; min-width: 0; }
.wide { grid-column: 1 / -1; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: 5px 10px; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; color: var(--soft); font-size: 13px; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
th:last-child, td:last-child { padding-right: 0; }
tr:last-child td { border-bottom: 0; }
.settings { columns: 3 280px; column-gap: 32px; font-size: 13.5px; }
.settings div { break-inside: avoid; display: flex; justify-content: space-between; gap: 12px; border-bottom: 1px solid var(--line); padding: 3px 0; }
.settings span { color: var(--soft); }
.settings code { overflow-wrap: anywhere; text-align: right; }
code { font: 13px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
svg { display: block; width: 100%; height: auto; max-width: 560px; }
svg text { fill: var(--ink); font-size: 12px; font-variant-numeric: tabular-nums; }
svg .end { text-anchor: end; }
svg .middle { text-anchor: middle; }
svg .unit { fill: var(--soft); }
svg .grid { stroke: var(--line); stroke-width: 1; }
svg .axis { stroke: var(--soft); stroke-width: 1; }
svg .ideal { stroke: var(--soft); stroke-width: 1.5; stroke-dasharray: 5 4; }
svg .curve { fill: none; stroke-width: 2.2; stroke-linejoin: round; }
svg .count { fill: var(--c1); fill-opacity: 0.35; }
svg .hollow { fill: var(--card); stroke: var(--c1); stroke-width: 2; }
svg .right { fill: var(--right); stroke: var(--line); }
svg .wrong { fill: var(--wrong); stroke: var(--line); }
svg .f1 { fill: var(--c1); } svg .s1 { stroke: var(--c1); }
svg .f2 { fill: var(--c2); } svg .s2 { stroke: var(--c2); }
svg .f3 { fill: var(--c3); } svg .s3 { stroke: var(--c3); }
svg .f4 { fill: var(--c4); } svg .s4 { stroke: var(--c4); }
svg .f5 { fill: var(--c5); } svg .s5 { stroke: var(--c5); }
svg .f6 { fill: var(--c6); } svg .s6 { stroke: var(--c6); }
.square svg { max-width: 390px; margin: 0 auto; }
.heat svg { max-width: none; min-width: 560px; }
.names th, .names td { text-align: left; }
.names th:last-child, .names td:last-child { text-align: right; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 8px 0 2px; font-size: 13px; }
.legend .key { display: inline-block; width: 16px; height: 10px; margin-right: 6px; }
.legend .unit { margin-left: auto; color: var(--soft); }
footer { margin-top: 40px; color: var(--soft); font-size: 13px; }
@media print {
  :root { color-scheme: light; --page: #fff; --card: #fff; --ink: #000; --soft: #444; --line: #ccc; --c1: #2f6fd0;
    --c2: #d9730d; --c3: #1b8a6b; --c4: #8a52c7; --c5: #b8860b; --c6: #c2375f; --right: #1b8a6b; --wrong: #d9730d; }
  body { font-size: 11pt; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  main { max-width: none; padding: 0; }
  .panel, .card { break-inside: avoid; }
  .grid { grid-template-columns: 1fr 1fr; }
  h2 { break-after: avoid; margin-top: 24px; }
}
)css";

}  // namespace mhe::app
