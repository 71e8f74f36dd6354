// SPDX-License-Identifier: Apache-2.0
#include <appell/bench.h>
#include <appell/file.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_BYTES = 16 };

static ap_body_def link_at(int k, char name[NAME_BYTES]) {
  ap_body_def link = ap_default_body();
  snprintf(name, NAME_BYTES, "link%d", k + 1);
  link.name = name;
  link.parent = k;
  link.joint = AP_REVOLUTE;
  link.place.kind = AP_PLACE_RPY;
  link.place.xyz[0] = k > 0 ? 0.3 : 0;
  link.place.rpy[0] = k % 2 ? 1.1 : -0.9;
  link.place.rpy[1] = 0.4;
  link.mass = 1;
  link.com[0] = 0.15, link.com[1] = 0.01, link.com[2] = -0.02;
  link.inertia[0] = 0.001, link.inertia[3] = 0.008, link.inertia[5] = 0.0085;
  return link;
}

ap_model *ap_bench_chain(int n) {
  ap_body_def *links = calloc((size_t)n, sizeof *links);
  char(*names)[NAME_BYTES] = calloc((size_t)n, sizeof *names);
  ap_robot *robot = NULL;
  ap_model *model = NULL;
  if (links && names) {
    for (int k = 0; k < n; k++) links[k] = link_at(k, names[k]);
    ap_robot_def def = ap_default_robot();
    def.name = "chain", def.bodies = links, def.nbody = n;
    if (ap_robot_from_definition(&def, &robot, NULL) == AP_OK) ap_robot_model(robot, &model, NULL);
    ap_robot_free(robot);
  }
  free(links);
  free(names);
  return model;
}
