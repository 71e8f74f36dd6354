// SPDX-License-Identifier: Apache-2.0
/// @file view.h
/// The live page of a robot: one HTML file that shows it, moves it and computes with it, in any
/// browser and without a network. Part of libappell-tools; allocates.
///
/// The page carries this library as WebAssembly and reads the robot's own text. docs/view.md
/// describes what it shows, and the document that is put into it.

#ifndef APPELL_VIEW_H
#define APPELL_VIEW_H

#include <appell/file.h>
#include <appell/json.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What goes into a page. Begin with ap_default_view() and change what differs.
typedef struct ap_view_options {
  const char *path;     ///< file that the robot was read from; NULL: none
  const char *builtin;  ///< name of a built-in robot or mechanism; NULL: none
  ap_read_options read; ///< how it was read, or taken
  /// The robot was changed since, as by ap_robot_reduce(): the page gets it as it is now, in YAML,
  /// and not the bytes of its file.
  bool changed;
  const char *meshes; ///< folder whose meshes are allowed besides the robot's own; NULL: none
  const char *page;   ///< page to fill: ap_view_page(); NULL: the document alone, as JSON
  /// Told what the page leaves out, a line each; NULL: nobody is.
  void (*warn)(void *context, const char *text);
  void *context; ///< of warn
  /// Writes what is wrong with the robot, with which the page opens: the list of ap_lint_json()
  /// under the key "findings". NULL: the page examines the robot itself.
  void (*findings)(void *lint, ap_json *json);
  void *lint;      ///< of findings
  unsigned cookie; ///< ap_default_view() sets it
} ap_view_options;

/// An empty page of this library.
AP_API ap_view_options ap_default_view(void);
/// The page that the library carries, without a robot: files can be dropped on it.
AP_API const char *ap_view_page(void);
/// Write the page of a robot; robot NULL: an empty one or, with a path, that of a file which is no
/// robot as it is: the page gets its bytes, and shows what is wrong with them. Meshes are read from
/// below the folder or package of the robot's file, and options->meshes. A robot file that needs
/// others beside it (MJCF with <include> or inertias of meshes) becomes one text of YAML.
AP_API ap_status ap_view_write(const ap_robot *robot, const ap_view_options *options,
                               ap_write *write, void *context, ap_error *error);

#ifdef __cplusplus
}
#endif
#endif
