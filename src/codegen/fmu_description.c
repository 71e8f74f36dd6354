// SPDX-License-Identifier: Apache-2.0
// The XML files of an FMU: variables with their units, derivatives and structure; how its sources
// are compiled; one terminal for each joint.

#include <appell/json.h>
#include <stdio.h>
#include <string.h>

#include "codegen/fmu.h"
#include "codegen/fmu_simulator.h"
#include "codegen/write.h"
#include "file/number.h"

// A text in an attribute; bytes that are no UTF-8, and control characters, become '?'.
static void put_escaped(ap__text *t, const char *text) {
  for (size_t length; *text; text += length) {
    length = ap_utf8_length(text);
    const bool bad = length == 0 || (unsigned char)*text < ' ';
    const char *word = bad            ? "?"
                       : *text == '&' ? "&amp;"
                       : *text == '<' ? "&lt;"
                       : *text == '>' ? "&gt;"
                       : *text == '"' ? "&quot;"
                                      : NULL;
    if (length == 0) length = 1;
    if (word)
      put(t, word);
    else
      ap__text_bytes(t, text, length);
  }
}

static void put_attribute(ap__text *t, const char *name, const char *value) {
  ap__text_add(t, " %s=\"", name);
  put_escaped(t, value);
  put(t, "\"");
}

static void put_number(ap__text *t, const char *name, double x) {
  char number[32];
  ap_format_shortest(x, number);
  ap__text_add(t, " %s=\"%s\"", name, number);
}

// ---- units -------------------------------------------------------------------------------------

static const struct {
  const char *unit, *base;
} units[] = {{"rad", "rad=\"1\""},
             {"m", "m=\"1\""},
             {"rad/s", "rad=\"1\" s=\"-1\""},
             {"m/s", "m=\"1\" s=\"-1\""},
             {"rad/s2", "rad=\"1\" s=\"-2\""},
             {"m/s2", "m=\"1\" s=\"-2\""},
             {"N m", "kg=\"1\" m=\"2\" s=\"-2\""},
             {"N", "kg=\"1\" m=\"1\" s=\"-2\""},
             {"1/s", "s=\"-1\""},
             {"J", "kg=\"1\" m=\"2\" s=\"-2\""},
             {"s", "s=\"1\""}};

static void put_units(ap__text *t) {
  put(t, "  <UnitDefinitions>\n");
  for (size_t k = 0; k < sizeof units / sizeof *units; k++)
    ap__text_add(t, "    <Unit name=\"%s\"><BaseUnit %s/></Unit>\n", units[k].unit, units[k].base);
  put(t, "  </UnitDefinitions>\n");
}

// The unit of a rate: that of a number "1/s", of "rad/s" "rad/s2", of others with "/s".
static void rate_of(const char *unit, char *rate, size_t size) {
  const bool rated = strlen(unit) > 2 && strcmp(unit + strlen(unit) - 2, "/s") == 0;
  snprintf(rate, size, "%s%s", unit[0] ? unit : "1", rated ? "2" : "/s");
}

// ---- variables ---------------------------------------------------------------------------------

static void begin_variable(ap__text *t, const char *before, const char *name, const char *behind,
                           int reference) {
  put(t, "    <Float64 name=\"");
  put(t, before), put_escaped(t, name), put(t, behind);
  ap__text_add(t, "\" valueReference=\"%d\"", reference);
}

const char *const ap__fmu_outputs[][2] = {{"kinetic", "J"}, {"potential", "J"}, {"lost", "J"},
                                          {"contacts", ""}, {"events", ""},     {0}};

// Of a scene there are no derivatives.
static int rates_of(const ap_fmu_parts *f) { return f->scene ? 0 : f->state.n; }

static void put_states(ap__text *t, const ap_fmu_parts *f) {
  for (int k = 0; k < f->state.n; k++) {
    const ap_column *c = &f->state.column[k];
    begin_variable(t, "", c->name, "", 1 + k);
    put(t, " causality=\"output\" variability=\"continuous\" initial=\"exact\"");
    if (c->unit[0]) put_attribute(t, "unit", c->unit);
    put_number(t, "start", f->start[k]);
    put(t, "/>\n");
  }
}

// Value references as fmu_text.c and fmu_scene_text.c have them.
static void put_variables(ap__text *t, const ap_fmu_parts *f) {
  const int n = f->state.n, inputs = 1 + n + rates_of(f);
  put(t, "  <ModelVariables>\n");
  put(t,
      "    <Float64 name=\"time\" valueReference=\"0\" causality=\"independent\" "
      "variability=\"continuous\" unit=\"s\"/>\n");
  put_states(t, f);
  for (int k = 0; k < rates_of(f); k++) {
    char rate[32];
    rate_of(f->state.column[k].unit, rate, sizeof rate);
    begin_variable(t, "der(", f->state.column[k].name, ")", 1 + n + k);
    ap__text_add(t,
                 " causality=\"local\" variability=\"continuous\" initial=\"calculated\""
                 " unit=\"%s\" derivative=\"%d\"/>\n",
                 rate, 1 + k);
  }
  for (int k = 0; k < f->input.n; k++) {
    begin_variable(t, "", f->input.column[k].name, "", inputs + k);
    ap__text_add(t, " causality=\"input\" variability=\"continuous\" unit=\"%s\" start=\"0\"/>\n",
                 f->input.column[k].unit);
  }
  for (int k = 0; f->scene && ap__fmu_outputs[k][0]; k++) {
    const bool counts = !ap__fmu_outputs[k][1][0];
    begin_variable(t, "", ap__fmu_outputs[k][0], "", inputs + f->input.n + k);
    ap__text_add(t, " causality=\"output\" variability=\"%s\" initial=\"calculated\"",
                 counts ? "discrete" : "continuous");
    if (!counts) put_attribute(t, "unit", ap__fmu_outputs[k][1]);
    put(t, "/>\n");
  }
  put(t, "  </ModelVariables>\n");
}

// Outputs of a scene depend on all of the past; those of a smooth model are its states.
static void put_structure(ap__text *t, const ap_fmu_parts *f) {
  const int n = f->state.n, others = 1 + n + f->input.n;
  put(t, "  <ModelStructure>\n");
  for (int k = 0; k < n; k++) {
    ap__text_add(t, "    <Output valueReference=\"%d\"", 1 + k);
    if (!f->scene) ap__text_add(t, " dependencies=\"%d\"", 1 + k);
    put(t, "/>\n");
  }
  for (int k = 0; f->scene && ap__fmu_outputs[k][0]; k++)
    ap__text_add(t, "    <Output valueReference=\"%d\"/>\n", others + k);
  for (int k = 0; k < rates_of(f); k++)
    ap__text_add(t, "    <ContinuousStateDerivative valueReference=\"%d\"/>\n", 1 + n + k);
  for (int k = 0; k < rates_of(f); k++)
    ap__text_add(t, "    <InitialUnknown valueReference=\"%d\"/>\n", 1 + n + k);
  for (int k = 0; f->scene && ap__fmu_outputs[k][0]; k++)
    ap__text_add(t, "    <InitialUnknown valueReference=\"%d\"/>\n", others + k);
  put(t, "  </ModelStructure>\n");
}

static const char prologue[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

void ap__put_model_description(ap__text *t, const ap_fmu_parts *f) {
  const char *both = f->scene ? ""
                              : " canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\""
                                " providesDirectionalDerivatives=\"true\""
                                " providesAdjointDerivatives=\"true\"";
  put(t, prologue);
  put(t, "<fmiModelDescription fmiVersion=\"3.0\"");
  put_attribute(t, "modelName",
                f->mechanism ? ap_mechanism_name(f->mechanism) : ap_model_name(f->m));
  put_attribute(t, "instantiationToken", f->token);
  put(t, "\n  description=\"Rigid-body dynamics of a robot: joint forces in, motion out\"");
  ap__text_add(t, " generationTool=\"appell %s\" variableNamingConvention=\"flat\">\n",
               ap_version());
  if (!f->scene)
    ap__text_add(t, "  <ModelExchange modelIdentifier=\"%s\"%s%s/>\n", f->name, both,
                 f->mechanism ? " needsCompletedIntegratorStep=\"true\"" : "");
  ap__text_add(t,
               "  <CoSimulation modelIdentifier=\"%s\"%s"
               " canHandleVariableCommunicationStepSize=\"true\"/>\n",
               f->name, both);
  put_units(t);
  put(t, "  <LogCategories>\n    <Category name=\"logStatusError\"/>\n  </LogCategories>\n");
  put(t, "  <DefaultExperiment");
  put_number(t, "startTime", f->options->start);
  put_number(t, "stopTime", f->options->start + f->options->stop);
  put_number(t, "tolerance", f->scene ? f->scene->relative : 1e-9);
  put(t, "/>\n");
  put_variables(t, f);
  put_structure(t, f);
  put(t, "</fmiModelDescription>\n");
}

static void put_simulator_files(ap__text *t) {
  ap_simulator_source file;
  for (const char *at = NULL; ap__next_source(&at, &file);)
    if (file.compiled) ap__text_add(t, "      <SourceFile name=\"%s\"/>\n", file.name);
  for (int k = 0; ap__simulator_definitions[k][0]; k++) {
    put(t, "      <PreprocessorDefinition");
    put_attribute(t, "name", ap__simulator_definitions[k][0]);
    put_attribute(t, "value", ap__simulator_definitions[k][1]);
    put(t, "/>\n");
  }
  put(t, "      <IncludeDirectory name=\"include\"/>\n      <IncludeDirectory name=\"src\"/>\n");
}

void ap__put_build_description(ap__text *t, const ap_fmu_parts *f) {
  put(t, prologue);
  ap__text_add(t,
               "<fmiBuildDescription fmiVersion=\"3.0\">\n"
               "  <BuildConfiguration modelIdentifier=\"%s\">\n"
               "    <SourceFileSet language=\"%s\">\n"
               "      <SourceFile name=\"fmu.c\"/>\n",
               f->name, f->scene ? "C17" : "C11");
  if (f->scene)
    put_simulator_files(t);
  else
    ap__text_add(t, "      <SourceFile name=\"%s.c\"/>\n", f->name);
  put(t,
      "    </SourceFileSet>\n"
      "    <Library name=\"m\" external=\"true\"/>\n"
      "  </BuildConfiguration>\n"
      "</fmiBuildDescription>\n");
}

// ---- terminals ---------------------------------------------------------------------------------

static void put_members(ap__text *t, const ap_column *column, int first, int count) {
  for (int k = first; k < first + count; k++) {
    put(t, "      <TerminalMemberVariable");
    put_attribute(t, "variableName", column[k].name);
    put_attribute(t, "memberName", column[k].name);
    put(t, " variableKind=\"signal\"/>\n");
  }
}

// A plug for each joint: its force, where it is, how fast it moves.
void ap__put_terminals(ap__text *t, const ap_fmu_parts *f) {
  put(t, prologue);
  put(t, "<fmiTerminalsAndIcons fmiVersion=\"3.0\">\n  <Terminals>\n");
  for (int i = 1; i < ap_nbody(f->m); i++) {
    const int nq = ap_joint_nq(f->m, i), nv = ap_joint_nv(f->m, i);
    if (nv == 0) continue;
    put(t, "    <Terminal");
    const ap_body_def *body = ap_body(f->m, i);
    put_attribute(t, "name", body->joint_name ? body->joint_name : body->name);
    put(t, " matchingRule=\"plug\">\n");
    put_members(t, f->input.column, ap_joint_v(f->m, i), nv);
    put_members(t, f->state.column, ap_joint_q(f->m, i), nq);
    put_members(t, f->state.column, ap_nq(f->m) + ap_joint_v(f->m, i), nv);
    put(t, "    </Terminal>\n");
  }
  put(t, "  </Terminals>\n</fmiTerminalsAndIcons>\n");
}
