// SPDX-License-Identifier: Apache-2.0
#include "ui/completion.h"

#include <appell/research.h>
#include <string.h>

#include "verbs.h"
#include "ui/words.h"

enum { WORD_BYTES = 64 };

// What does not depend on the verbs. $takes is the kind of a word, as in the help.
static const char head[] =
    "# Completion of the appell command for bash, written by 'appell help --completion bash'.\n"
    "# Either put it where bash looks (share/bash-completion/completions/appell below the prefix)\n"
    "# or: source <(appell help --completion bash)\n"
    "\n"
    "# Words that begin as what is typed.\n"
    "_appell_words() {\n"
    "  local word\n"
    "  for word in $1; do\n"
    "    [[ $word != \"$cur\"* ]] || COMPREPLY+=(\"$word\")\n"
    "  done\n"
    "}\n"
    "\n"
    "# The same behind the last comma.\n"
    "_appell_list() {\n"
    "  local word before=\n"
    "  compopt -o nospace 2>/dev/null\n"
    "  [[ $cur != *,* ]] || before=${cur%,*},\n"
    "  for word in $1; do\n"
    "    [[ $before$word != \"$cur\"* || ,$before == *,\"$word\",* ]] || "
    "COMPREPLY+=(\"$before$word\")\n"
    "  done\n"
    "}\n"
    "\n"
    "# Not those that would be more than a word in the shell: files of others choose them.\n"
    "_appell_robot() {\n"
    "  local word names=\n"
    "  for word in \"${COMP_WORDS[@]:2}\"; do\n"
    "    [[ -n $names || $word == -* || $word == \"$cur\" ]] || names=$(\n"
    "      \"${COMP_WORDS[0]}\" info --json \"$word\" 2>/dev/null |\n"
    "        LC_ALL=C sed -En \\\n"
    "        '/^  \"'\"$2\"'\": /,/^  ]/s/^ *\"name\": "
    "\"([A-Za-z0-9_.:+@%/\\x80-\\xff-]+)\",?$/\\1/p')\n"
    "  done\n"
    "  \"_appell_$1\" \"$names\"\n"
    "}\n"
    "\n"
    "# Folders, and files with one of the endings; * is every file, / none.\n"
    "_appell_files() {\n"
    "  local path ending\n"
    "  compopt -o filenames 2>/dev/null\n"
    "  while IFS= read -r path; do\n"
    "    if [[ -d $path || $1 == '*' ]]; then\n"
    "      COMPREPLY+=(\"$path\")\n"
    "      continue\n"
    "    fi\n"
    "    for ending in $1; do\n"
    "      [[ $path != *.\"$ending\" ]] || COMPREPLY+=(\"$path\")\n"
    "    done\n"
    "  done < <(compgen -f -- \"$cur\")\n"
    "  return 0\n"
    "}\n";

static const char tail[] =
    "\n"
    "_appell() {\n"
    "  local cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} "
    "verb=${COMP_WORDS[1]}\n"
    "  local k place=0 options=1 takes=\n"
    "  COMPREPLY=()\n"
    "  if ((COMP_CWORD == 1)); then\n"
    "    _appell_words \"$_appell_verbs --help --version\"\n"
    "    return\n"
    "  fi\n"
    "  # --name=value is three words for bash\n"
    "  [[ $before != '=' ]] || before=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "  [[ $cur != '=' ]] || cur=\n"
    "  # arguments so far, and whether -- has ended the options\n"
    "  for ((k = 2; k < COMP_CWORD; k++)); do\n"
    "    case $options:${COMP_WORDS[k]} in\n"
    "      1:--) options=0 ;;\n"
    "      1:-?*)\n"
    "        _appell_option \"$verb\" \"${COMP_WORDS[k]}\"\n"
    "        [[ ${COMP_WORDS[k + 1]} != '=' ]] || ((k++))\n"
    "        [[ -z $takes ]] || ((k++))\n"
    "        ;;\n"
    "      *) ((place++)) ;;\n"
    "    esac\n"
    "  done\n"
    "  takes=\n"
    "  ((options == 0)) || _appell_option \"$verb\" \"$before\"\n"
    "  if [[ -z $takes && $options == 1 && $cur == -* ]]; then\n"
    "    _appell_options \"$verb\"\n"
    "    _appell_words \"$takes\"\n"
    "    return\n"
    "  fi\n"
    "  [[ -n $takes ]] || _appell_argument \"$verb\" \"$place\"\n"
    "  _appell_take \"$takes\"\n"
    "}\n"
    "complete -F _appell appell\n";

static void write_verbs(cli_out *out) {
  cli_out_printf(out, "\n_appell_verbs='");
  for (int k = 0; cli_verb_at(k); k++)
    cli_out_printf(out, "%s%s", k > 0 ? " " : "", cli_verb_at(k)->name);
  cli_out_printf(out, "'\n");
}

static void write_options(cli_out *out) {
  cli_out_printf(out, "\n# The options of a verb.\n_appell_options() {\n  case $1 in\n");
  for (int k = 0; cli_verb_at(k); k++) {
    const cli_verb *verb = cli_verb_at(k);
    cli_out_printf(out, "    %s) takes='", verb->name);
    for (const cli_option *o = verb->options; o->name; o++) cli_out_printf(out, "%s ", o->name);
    cli_out_printf(out, "--help' ;;\n");
  }
  cli_out_printf(out, "    *) takes= ;;\n  esac\n}\n");
}

static void write_option_values(cli_out *out) {
  cli_out_printf(out,
                 "\n# What an option of a verb takes.\n_appell_option() {\n  case \"$1 $2\" in\n");
  for (int k = 0; cli_verb_at(k); k++) {
    const cli_verb *verb = cli_verb_at(k);
    for (const cli_option *o = verb->options; o->name; o++)
      if (o->value)
        cli_out_printf(out, "    '%s %s') takes='%s' ;;\n", verb->name, o->name, o->value);
  }
  cli_out_printf(out, "    *) takes= ;;\n  esac\n}\n");
}

static void write_arguments(cli_out *out) {
  cli_out_printf(out,
                 "\n# What the arguments of a verb are, from 0.\n"
                 "_appell_argument() {\n  case \"$1 $2\" in\n");
  for (int k = 0; cli_verb_at(k); k++) {
    const char *verb = cli_verb_at(k)->name, *rest = cli_verb_at(k)->arguments;
    char word[WORD_BYTES];
    bool more;
    for (int place = 0; cli_next_word(&rest, word, sizeof word, &more); place++) {
      if (more)
        cli_out_printf(out, "    '%s '*) takes='%s' ;;\n", verb, word);
      else
        cli_out_printf(out, "    '%s %d') takes='%s' ;;\n", verb, place, word);
    }
  }
  cli_out_printf(out, "    *) takes= ;;\n  esac\n}\n");
}

// Methods depend on the quantity; its name stands somewhere before them, or not yet.
static void write_methods(cli_out *out) {
  cli_out_printf(out,
                 "\n# The methods of the quantity on the line.\n_appell_methods() {\n"
                 "  local word\n  for word in \"${COMP_WORDS[@]:2}\"; do\n    case $word in\n");
  for (int what = AP_INVERSE; what <= AP_FORWARD_DERIVATIVES; what++) {
    cli_out_printf(out, "      %s) set -- '", ap_quantity_name((ap_quantity)what));
    for (int i = 0; ap_method_at(i); i++)
      if ((int)ap_method_at(i)->what == what) cli_out_printf(out, "%s ", ap_method_at(i)->name);
    cli_out_printf(out, "' ;;\n");
  }
  cli_out_printf(out, "    esac\n  done\n  _appell_words \"$1\"\n}\n");
}

// All words of a kind; a method may stand in the table once for each quantity.
static void write_names(cli_out *out, const cli_word *word) {
  for (int k = 0; word->at(k); k++) {
    int seen = 0;
    while (strcmp(word->at(seen), word->at(k)) != 0) seen++;
    if (seen == k) cli_out_printf(out, "%s%s", k > 0 ? " " : "", word->at(k));
  }
}

static void write_kinds(cli_out *out) {
  cli_out_printf(out,
                 "\n# What can stand for a word of the help.\n_appell_take() {\n"
                 "  case $1 in\n    '') ;;\n");
  for (int k = 0; cli_word_at(k)->name; k++) {
    const cli_word *word = cli_word_at(k);
    cli_out_printf(out, "    %s)", word->name);
    if (word->at) {
      const bool methods = strcmp(word->name, "METHOD") == 0;
      cli_out_printf(out, " %s '",
                     methods      ? "_appell_methods"
                     : word->list ? "_appell_list"
                                  : "_appell_words");
      write_names(out, word);
      cli_out_printf(out, "'");
      if (word->files) cli_out_printf(out, ";");
    }
    if (word->files) cli_out_printf(out, " _appell_files '%s'", word->files);
    if (word->robot)
      cli_out_printf(out, " _appell_robot %s '%s'", word->list ? "list" : "words", word->robot);
    cli_out_printf(out, " ;;\n");
  }
  cli_out_printf(out,
                 "    *'|'*) _appell_words \"${1//|/ }\" ;;\n"
                 "    *.*) _appell_files \"${1##*.}\" ;;\n"
                 "    *) return 1 ;;\n  esac\n}\n");
}

void cli_completion_bash(cli_out *out) {
  cli_out_printf(out, "%s", head);
  write_verbs(out);
  write_options(out);
  write_option_values(out);
  write_arguments(out);
  write_methods(out);
  write_kinds(out);
  cli_out_printf(out, "%s", tail);
}
