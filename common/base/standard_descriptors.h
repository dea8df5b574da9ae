// Standard input, output and error of a process that was started without some of them.
#pragma once

namespace weir::base {

// Fills the places of those that are closed, so that no file which is opened later gets one of
// their numbers and everything that is printed with it. Reading and writing them goes on failing.
// Thread: at the beginning of main(), before anything opens a file.
void FillStandardDescriptors();

}  // namespace weir::base
