// SPDX-License-Identifier: Apache-2.0
// Checks that a tool's parser, its --help and its manual page name the same options.
#pragma once

#include <CLI/CLI.hpp>
#include <set>
#include <string>

namespace betr::tools {

// Returns the options of the parser: "-s", "--size", ...; without positional arguments.
std::set<std::string> OptionsOfParser(const CLI::App& app);

// Returns those that a help text explains: the words that begin with a dash at the start of its lines.
std::set<std::string> OptionsOfHelp(const std::string& help);

// Returns those that a manual page explains: the words that begin with a dash on the line after each .TP.
std::set<std::string> OptionsOfPage(const std::string& roff);

// Returns the source of docs/man/`name`. Fails the test if there is none.
std::string ReadManPage(const std::string& name);

}  // namespace betr::tools
