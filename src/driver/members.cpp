// SPDX-License-Identifier: Apache-2.0
#include "members.hpp"

#include "memory_of_rank.hpp"
#include <apsis/core/machine.hpp>
#include <apsis/driver/configuration.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace apsis::driver {

namespace {
constexpr char end_of_word = '\0';
}

std::vector<Member> members_of(Communicator const& with, Member const& own) {
  std::string text;
  for (auto const& word :
       {own.host, own.device, own.address, own.executable, own.words, std::to_string(own.threads),
        own.processors, own.problem, own.advice, std::to_string(static_cast<int>(own.status))}) {
    text += word + end_of_word;
  }
  auto const bytes = with.gather(std::as_bytes(std::span(text)));
  std::string_view rest(reinterpret_cast<char const*>(bytes.data()), bytes.size());
  auto const word = [&] {
    auto const end = rest.find(end_of_word);
    std::string const of(rest.substr(0, end));
    rest.remove_prefix(end + 1);
    return of;
  };
  std::vector<Member> members(with.size());
  for (auto& member : members) {
    member.host = word();
    member.device = word();
    member.address = word();
    member.executable = word();
    member.words = word();
    member.threads = std::stoi(word());
    member.processors = word();
    member.problem = word();
    member.advice = word();
    member.status = static_cast<ExitStatus>(std::stoi(word()));
  }
  return members;
}

Member failed_member(Error const& error) {
  auto const& first = error.problems().front();
  Member own;
  own.host = host_name();
  own.problem = first.where + ": " + first.problem + (first.why.empty() ? "" : ", " + first.why);
  own.advice = first.advice;
  own.status = error.status();
  return own;
}

bool all_have_memory(std::shared_ptr<Communicator const> const& with, Member own,
                     Configuration const& run, std::size_t count, std::size_t total) {
  std::vector<Problem> problems;
  check_memory_of_rank(run, count, total, problems);
  if (!problems.empty()) own = failed_member(Error(ExitStatus::bad_input, std::move(problems)));
  auto const members = members_of(*with, own);
  bool const all = std::all_of(members.begin(), members.end(),
                               [](Member const& each) { return each.problem.empty(); });
  if (!all && with->rank() == 0) expect_alike(members);
  return all;
}

void expect_alike(std::vector<Member> const& members) {
  auto const& first = members.front();
  std::vector<Problem> problems;
  std::optional<ExitStatus> status;
  for (std::size_t k = 0; k < members.size(); ++k) {
    auto const& member = members[k];
    std::string const who = "process " + std::to_string(k) + " (" + member.host + ")";
    if (!member.problem.empty()) {
      if (!status) status = member.status;
      problems.push_back({who, "cannot take part", member.problem, member.advice});
    } else if (member.words != first.words) {
      problems.push_back({who, "was started with other words",
                          "'" + member.words + "'; process 0 with '" + first.words + "'",
                          "give all processes the same"});
    } else if (member.executable != first.executable) {
      problems.push_back({who, "is another executable",
                          member.executable + "; process 0 is " + first.executable,
                          "start the same one everywhere"});
    } else if (member.device != first.device) {
      problems.push_back(
          {who, "has another device",
           member.device + "; process 0 has " + first.device + ", and bits may depend on it",
           "ask the batch system for machines of one kind"});
    }
  }
  if (!problems.empty()) {
    throw Error(status.value_or(ExitStatus::internal), std::move(problems));
  }
}

void expect_own_devices(std::vector<Member> const& members) {
  std::map<std::string, std::size_t> users;
  for (std::size_t k = 0; k < members.size(); ++k) {
    auto const& member = members[k];
    if (member.address.empty()) continue;
    auto const [first, alone] = users.try_emplace(member.host + " " + member.address, k);
    if (alone) continue;
    throw Error(
        ExitStatus::usage,
        Problem{"process " + std::to_string(k) + " (" + member.host + ")", "has no GPU of its own",
                "it would share that of process " + std::to_string(first->second),
                "start one process for each GPU, or give --share-gpus"});
  }
}

namespace {

/// Whether `set` is a subset of `other`.
bool is_part(std::string const& set, std::string const& other) {
  for (std::size_t k = 0; k < set.size(); ++k) {
    if (set[k] == '1' && (k >= other.size() || other[k] != '1')) return false;
  }
  return true;
}

std::string united(std::string a, std::string const& b) {
  a.resize(std::max(a.size(), b.size()), '0');
  for (std::size_t k = 0; k < b.size(); ++k) a[k] = b[k] == '1' ? '1' : a[k];
  return a;
}

/// Describes the ranks that can only run on a set of processors of a host, if they have more
/// threads than it has processors; otherwise empty.
std::string crowd_on(std::string const& set, std::vector<Member const*> const& of_host) {
  auto const processors = std::count(set.begin(), set.end(), '1');
  int threads = 0;
  for (auto const* each : of_host) threads += is_part(each->processors, set) ? each->threads : 0;
  if (threads <= processors) return "";
  return std::to_string(threads) + " threads on " + std::to_string(processors) +
         (processors == 1 ? " processor" : " processors");
}

}  // namespace

std::string crowds_of(std::vector<Member> const& members) {
  std::map<std::string, std::vector<Member const*>> hosts;
  for (auto const& member : members) {
    if (!member.processors.empty()) hosts[member.host].push_back(&member);
  }
  std::string text;
  for (auto const& [host, of_host] : hosts) {
    std::string all;
    for (auto const* each : of_host) all = united(all, each->processors);
    auto crowd = crowd_on(all, of_host);
    // Several ranks may be bound to the same processors while others are idle.
    for (auto const* each : of_host) {
      if (crowd.empty()) crowd = crowd_on(each->processors, of_host);
    }
    if (!crowd.empty()) text += (text.empty() ? "" : "; ") + host + ": " + crowd;
  }
  return text;
}

std::string places_of(std::vector<Member> const& members) {
  std::map<std::string, std::map<std::string, int>> devices;
  for (auto const& member : members) ++devices[member.host][member.device];
  std::string text;
  for (auto const& [host, of_host] : devices) {
    for (auto const& [device, count] : of_host) {
      text += (text.empty() ? "" : "; ") + host + ": " + std::to_string(count) + " x " + device;
    }
  }
  return text;
}

}  // namespace apsis::driver
