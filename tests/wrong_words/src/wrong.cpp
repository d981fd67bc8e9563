// A file with phrases that the check has to find: it is not compiled.
// SPDX-License-Identifier: BSD-3-Clause
// The link has no say, and what it hangs
// on is a ball.
int vary_places();
int unwary_places();  // none
