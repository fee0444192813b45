// SPDX-License-Identifier: Apache-2.0
#include "rank_infos.hpp"

#include <apsis/core/machine.hpp>
#include <apsis/deck/configuration.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace apsis::simulation {

namespace {

constexpr char end_of_field = '\0';

/// Calls visit(field) for each field of a description, in the order in which they are sent.
template <class Info, class Visit>
void for_each_field(Info& rank, Visit const& visit) {
  visit(rank.host);
  visit(rank.device);
  visit(rank.address);
  visit(rank.executable);
  visit(rank.command_line);
  visit(rank.threads);
  visit(rank.processors);
  visit(rank.problem);
  visit(rank.advice);
  visit(rank.status);
}

std::string text_of(std::string const& field) {
  return field;
}
template <class Number>
std::string text_of(Number field) {
  return std::to_string(static_cast<int>(field));
}

void read_field(std::string const& text, std::string& field) {
  field = text;
}
template <class Number>
void read_field(std::string const& text, Number& field) {
  field = static_cast<Number>(std::stoi(text));
}

}  // namespace

std::vector<RankInfo> gather_rank_infos(Communicator const& communicator,
                                        RankInfo const& own_info) {
  std::string text;
  for_each_field(own_info, [&](auto const& field) { text += text_of(field) + end_of_field; });
  auto const bytes = communicator.gather(std::as_bytes(std::span(text)));
  std::string_view rest(reinterpret_cast<char const*>(bytes.data()), bytes.size());
  std::vector<RankInfo> ranks(communicator.size());
  for (auto& rank : ranks) {
    for_each_field(rank, [&](auto& field) {
      auto const end = rest.find(end_of_field);
      read_field(std::string(rest.substr(0, end)), field);
      rest.remove_prefix(end + 1);
    });
  }
  return ranks;
}

RankInfo failed_rank(Error const& error) {
  auto const& first = error.problems().front();
  RankInfo own_info;
  own_info.host = host_name();
  own_info.problem =
      first.where + ": " + first.problem + (first.why.empty() ? "" : ", " + first.why);
  own_info.advice = first.advice;
  own_info.status = error.status();
  return own_info;
}

bool all_have_memory(std::shared_ptr<Communicator const> const& communicator, RankInfo own_info,
                     deck::Configuration const& run, std::size_t count, std::size_t total) {
  std::vector<Problem> problems;
  check_memory_of_rank(run, count, total, problems);
  if (!problems.empty()) own_info = failed_rank(Error(ExitStatus::bad_input, std::move(problems)));
  auto const ranks = gather_rank_infos(*communicator, own_info);
  bool const all_have_it = std::all_of(ranks.begin(), ranks.end(),
                                       [](RankInfo const& each) { return each.problem.empty(); });
  if (!all_have_it && communicator->rank() == 0) check_same_setup(ranks);
  return all_have_it;
}

void check_same_setup(std::vector<RankInfo> const& ranks) {
  auto const& first = ranks.front();
  std::vector<Problem> problems;
  std::optional<ExitStatus> status;
  for (std::size_t k = 0; k < ranks.size(); ++k) {
    auto const& rank = ranks[k];
    std::string const rank_name = "process " + std::to_string(k) + " (" + rank.host + ")";
    if (!rank.problem.empty()) {
      if (!status) status = rank.status;
      problems.push_back({rank_name, "cannot take part", rank.problem, rank.advice});
    } else if (rank.command_line != first.command_line) {
      problems.push_back(
          {rank_name, "was started with another command line",
           "'" + rank.command_line + "'; process 0 with '" + first.command_line + "'",
           "use the same command line for all processes"});
    } else if (rank.executable != first.executable) {
      problems.push_back({rank_name, "runs another executable",
                          rank.executable + "; process 0 is " + first.executable,
                          "start the same executable in all processes"});
    } else if (rank.device != first.device) {
      problems.push_back(
          {rank_name, "has another device",
           rank.device + "; process 0 has " + first.device + ", and results depend on the device",
           "ask the batch system for machines of one kind"});
    }
  }
  if (!problems.empty()) {
    throw Error(status.value_or(ExitStatus::internal), std::move(problems));
  }
}

void check_exclusive_devices(std::vector<RankInfo> const& ranks) {
  std::map<std::string, std::size_t> users;
  for (std::size_t k = 0; k < ranks.size(); ++k) {
    auto const& rank = ranks[k];
    if (rank.address.empty()) continue;
    auto const [user, is_first] = users.try_emplace(rank.host + " " + rank.address, k);
    if (is_first) continue;
    throw Error(
        ExitStatus::usage,
        Problem{"process " + std::to_string(k) + " (" + rank.host + ")", "has no GPU of its own",
                "it would share that of process " + std::to_string(user->second),
                "start one process for each GPU, or give --share-gpus"});
  }
}

namespace {

/// Whether `set` is a subset of `other`.
bool is_subset(std::string const& set, std::string const& other) {
  for (std::size_t k = 0; k < set.size(); ++k) {
    if (set[k] == '1' && (k >= other.size() || other[k] != '1')) return false;
  }
  return true;
}

std::string union_of(std::string a, std::string const& b) {
  a.resize(std::max(a.size(), b.size()), '0');
  for (std::size_t k = 0; k < b.size(); ++k) a[k] = b[k] == '1' ? '1' : a[k];
  return a;
}

/// Describes the ranks of a host that can run on a set of its processors only, if they have more
/// threads than the set has processors; empty otherwise.
std::string oversubscription_on(std::string const& set,
                                std::vector<RankInfo const*> const& host_ranks) {
  auto const processors = std::count(set.begin(), set.end(), '1');
  int threads = 0;
  for (auto const* rank : host_ranks) {
    threads += is_subset(rank->processors, set) ? rank->threads : 0;
  }
  if (threads <= processors) return "";
  return std::to_string(threads) + " threads on " + std::to_string(processors) +
         (processors == 1 ? " processor" : " processors");
}

}  // namespace

std::string oversubscription_of(std::vector<RankInfo> const& ranks) {
  std::map<std::string, std::vector<RankInfo const*>> hosts;
  for (auto const& rank : ranks) {
    if (!rank.processors.empty()) hosts[rank.host].push_back(&rank);
  }
  std::string text;
  for (auto const& [host, host_ranks] : hosts) {
    std::string processors;
    for (auto const* rank : host_ranks) processors = union_of(processors, rank->processors);
    auto host_text = oversubscription_on(processors, host_ranks);
    // Several ranks may be bound to the same processors while other processors are idle.
    for (auto const* rank : host_ranks) {
      if (host_text.empty()) host_text = oversubscription_on(rank->processors, host_ranks);
    }
    if (!host_text.empty()) text += (text.empty() ? "" : "; ") + host + ": " + host_text;
  }
  return text;
}

std::string describe_devices(std::vector<RankInfo> const& ranks) {
  std::map<std::string, std::map<std::string, int>> devices;
  for (auto const& rank : ranks) ++devices[rank.host][rank.device];
  std::string text;
  for (auto const& [host, host_devices] : devices) {
    for (auto const& [device, count] : host_devices) {
      text += (text.empty() ? "" : "; ") + host + ": " + std::to_string(count) + " x " + device;
    }
  }
  return text;
}

}  // namespace apsis::simulation
