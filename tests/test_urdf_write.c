// SPDX-License-Identifier: Apache-2.0
// URDF as it is written: what survives, what is refused, and what happens to the file.

#include <dirent.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "urdf_text.h"

TEST(what_is_written_reads_back_to_the_bit) {
  char *text = file_text(FULL, NULL);
  if (!CHECK(text)) return;
  ap_robot *robot = read_urdf(text);
  free(text);
  if (!robot) return;
  static const char *const formats[] = {"urdf", "yaml"};
  for (int k = 0; k < 2; k++) {
    ap_robot *back = through_file(robot, formats[k]);
    if (back) same_robot(robot, back);
    ap_robot_free(back);
  }
  ap_robot_free(robot);
}

TEST(limits_and_odd_names_survive) {
  ap_body_def body[2] = {ap_default_body(), ap_default_body()};
  body[0].name = "a <&> \"quoted\" 'name' \xc3\xa9";
  body[0].joint_name = "root_joint";
  body[1].name = "b";
  body[1].parent = 1;
  body[1].joint = AP_PRISMATIC;
  body[1].upper = 0.1 + 0.2;
  body[1].effort_limit = 1e-300;
  body[1].mass = 1.0 / 3;
  body[1].gear_ratio = -7;
  body[1].com[1] = -0.0;
  ap_robot_def def = ap_default_robot();
  def.bodies = body;
  def.nbody = 2;
  ap_robot *robot;
  if (!CHECK_OK(ap_robot_from_definition(&def, &robot, NULL))) return;
  static const char *const formats[] = {"urdf", "yaml"};
  for (int k = 0; k < 2; k++) {
    ap_robot *back = through_file(robot, formats[k]);
    if (back) same_robot(robot, back);
    ap_robot_free(back);
  }
  ap_robot_free(robot);
}

TEST(what_urdf_cannot_say_is_refused) {
  ap_body_def body = ap_default_body();
  body.name = "a";
  ap_robot_def def = ap_default_robot();
  def.bodies = &body;
  def.nbody = 1;
  char path[512];
  temporary_name(path, sizeof path, "refused.urdf");
  for (int k = 0; k < 3; k++) {
    body.joint = k == 0 ? AP_SPHERICAL : k == 1 ? AP_PLANAR : AP_FIXED;
    body.viscous = k == 0 ? 1 : 0;
    body.upper = k == 1 ? 1 : INFINITY;
    def.gravity[2] = k == 2 ? -1.62 : -9.81;
    ap_robot *robot;
    ap_error error = {0};
    if (!CHECK_OK(ap_robot_from_definition(&def, &robot, NULL))) return;
    CHECK_STATUS(ap_robot_write(robot, path, &error), AP_E_UNSUPPORTED);
    CHECK_HAS(error.text, k == 0 ? "friction" : k == 1 ? "limits" : "gravity");
    CHECK(access(path, F_OK) != 0);
    ap_robot_free(robot);
  }
}

TEST(a_spherical_joint_survives) {
  ap_robot *robot = read_urdf(ROBOT2("<joint name='j' type='spherical'>" ENDS "</joint>"));
  ap_robot *back = robot ? through_file(robot, "urdf") : NULL;
  if (back) same_robot(robot, back);
  if (back) CHECK_EQ_INT(body_named(back, "b")->joint, AP_SPHERICAL);
  ap_robot_free(back);
  ap_robot_free(robot);
}

// Each body of standard DH needs a link of its own for its axis.
TEST(names_made_for_urdf_are_unique) {
  static const char *const names[] = {"a", "_a", "a_axis", "__a_axis", "a_step", "world"};
  enum { N = sizeof names / sizeof names[0] };
  ap_body_def body[N];
  ap_frame_def frame[2] = {{.name = "f", .body = 1}, {.name = "f_frame", .body = 1}};
  for (int i = 0; i < N; i++) {
    body[i] = ap_default_body();
    body[i].name = names[i];
    body[i].parent = i;
    body[i].joint = AP_REVOLUTE;
    body[i].mass = 1;
    body[i].place.kind = AP_DH_STANDARD;
  }
  ap_robot_def def = ap_default_robot();
  def.bodies = body;
  def.nbody = N;
  def.frames = frame;
  def.nframe = 2;
  ap_robot *robot;
  if (!CHECK_OK(ap_robot_from_definition(&def, &robot, NULL))) return;
  ap_robot *back = through_file(robot, "urdf");
  if (back) CHECK_EQ_INT(ap_robot_definition(back)->nbody, 2 * N + 3);
  ap_robot_free(back);
  ap_robot_free(robot);
}

TEST(files_appear_whole_or_not_at_all) {
  ap_robot *robot = read_urdf("<robot name='r'><link name='a'/></robot>");
  if (!robot) return;
  ap_error error = {0};
  CHECK_STATUS(ap_robot_write(robot, "/nonexistent/folder/x.urdf", &error), AP_E_FILE);
  CHECK(error.text[0]);
  CHECK_STATUS(ap_robot_write(robot, "/tmp/x.obj", &error), AP_E_ARG);
  ap_robot_free(robot);
  CHECK_STATUS(ap_robot_read("/nonexistent.urdf", NULL, &robot, &error), AP_E_FILE);
  CHECK_STATUS(ap_robot_read("-", NULL, &robot, &error), AP_E_ARG);
  CHECK_STATUS(ap_robot_parse("", 0, "sdf", NULL, &robot, &error), AP_E_ARG);
  CHECK(robot == NULL);
}

// A folder of our own with a robot to write into it.
typedef struct folder {
  char path[300], name[600];
  ap_robot *robot;
} folder;

static folder folder_open(void) {
  folder f = {.robot = read_urdf("<robot name='r'><link name='a'/></robot>")};
  temporary_name(f.path, sizeof f.path, "folder");
  CHECK(mkdir(f.path, 0700) == 0);
  return f;
}

static const char *in_folder(folder *f, const char *name) {
  snprintf(f->name, sizeof f->name, "%s/%s", f->path, name);
  return f->name;
}

// Removes everything in it and returns how much that was.
static int folder_close(folder *f) {
  int n = 0;
  DIR *dir = opendir(f->path);
  if (!CHECK(dir)) return 0;
  for (struct dirent *e; (e = readdir(dir));)
    if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
      n += remove(in_folder(f, e->d_name)) == 0;
  closedir(dir);
  CHECK(rmdir(f->path) == 0);
  ap_robot_free(f->robot);
  return n;
}

static bool has_text(const char *path, const char *words) {
  char *text = file_text(path, NULL);
  bool has = text && strstr(text, words);
  free(text);
  return CHECK(has);
}

static void put_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  if (!CHECK(file)) return;
  fputs(text, file);
  fclose(file);
}

TEST(writing_leaves_other_files_alone) {
  folder f = folder_open();
  put_text(in_folder(&f, "r.urdf.part"), "mine");
  CHECK_OK(ap_robot_write(f.robot, in_folder(&f, "r.urdf"), NULL));
  has_text(in_folder(&f, "r.urdf.part"), "mine");
  CHECK(mkfifo(in_folder(&f, "s.urdf.part"), 0600) == 0);
  CHECK_OK(ap_robot_write(f.robot, in_folder(&f, "s.urdf"), NULL)); // and does not hang
  CHECK_EQ_INT(folder_close(&f), 4);
}

TEST(a_link_is_followed_and_permissions_stay) {
  folder f = folder_open();
  struct stat info;
  put_text(in_folder(&f, "real.urdf"), "old");
  CHECK(chmod(in_folder(&f, "real.urdf"), 0640) == 0);
  CHECK(symlink("real.urdf", in_folder(&f, "link.urdf")) == 0);
  CHECK_OK(ap_robot_write(f.robot, in_folder(&f, "link.urdf"), NULL));
  CHECK(lstat(in_folder(&f, "link.urdf"), &info) == 0 && S_ISLNK(info.st_mode));
  CHECK(stat(in_folder(&f, "real.urdf"), &info) == 0 && (info.st_mode & 0777) == 0640);
  has_text(in_folder(&f, "real.urdf"), "<robot");
  CHECK(symlink("new.urdf", in_folder(&f, "other.urdf")) == 0); // leads to nothing yet
  CHECK_OK(ap_robot_write(f.robot, in_folder(&f, "other.urdf"), NULL));
  has_text(in_folder(&f, "new.urdf"), "<robot");
  CHECK(symlink("round.urdf", in_folder(&f, "round.urdf")) == 0);
  CHECK_STATUS(ap_robot_write(f.robot, in_folder(&f, "round.urdf"), NULL), AP_E_FILE);
  CHECK_EQ_INT(folder_close(&f), 5);
}

TEST(names_may_be_as_long_as_the_system_allows) {
  folder f = folder_open();
  char name[256];
  memset(name, 'n', 250);
  memcpy(name + 250, ".urdf", 6);
  CHECK_OK(ap_robot_write(f.robot, in_folder(&f, name), NULL));
  CHECK_OK(ap_robot_write(f.robot, in_folder(&f, name), NULL));
  CHECK_EQ_INT(folder_close(&f), 1);
}

TEST(what_is_no_file_is_not_written_to) {
  folder f = folder_open();
  ap_error error = {0};
  CHECK(mkfifo(in_folder(&f, "fifo.urdf"), 0600) == 0);
  CHECK_STATUS(ap_robot_write(f.robot, f.name, &error), AP_E_FILE);
  CHECK_HAS(error.text, "pipe");
  CHECK(mkdir(in_folder(&f, "folder.urdf"), 0700) == 0);
  CHECK_STATUS(ap_robot_write(f.robot, f.name, &error), AP_E_FILE);
  CHECK_HAS(error.text, "folder");
  CHECK_EQ_INT(folder_close(&f), 2);
}

TEST(many_may_write_one_file) {
  folder f = folder_open();
  enum { WRITERS = 8, TIMES = 20 };
  in_folder(&f, "r.urdf");
  fflush(stdout);
  for (int k = 0; k < WRITERS; k++) {
    pid_t child = fork();
    if (child != 0) continue;
    int failed = 0;
    for (int i = 0; i < TIMES; i++) failed += ap_robot_write(f.robot, f.name, NULL) != AP_OK;
    _exit(failed != 0);
  }
  for (int k = 0, status; k < WRITERS; k++) {
    CHECK(wait(&status) > 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  has_text(f.name, "</robot>");
  CHECK_EQ_INT(folder_close(&f), 1);
}
