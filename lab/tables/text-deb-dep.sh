# Copyright 2026 The mhe Authors
# SPDX-License-Identifier: Apache-2.0
#
# Tables 2 and 3 on dependencies of Debian packages: short texts, 22,398 labels.
data=deb-dep
bag_flags=()
paper='The data set nearest to it in labels per row and number of labels is AmazonCat-13K (P@1 96.81), which has 26 times the rows.'
differs='The data is ours, so there is no figure of the paper to compare with.'
source lab/text_models.sh
