// SPDX-License-Identifier: Apache-2.0
#include "members.hpp"

#include <algorithm>
#include <map>
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
        std::to_string(own.processors), own.problem}) {
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
    member.processors = std::stoi(word());
    member.problem = word();
  }
  return members;
}

void expect_alike(std::vector<Member> const& members) {
  auto const& first = members.front();
  std::vector<Problem> problems;
  for (std::size_t k = 0; k < members.size(); ++k) {
    auto const& member = members[k];
    std::string const who = "process " + std::to_string(k) + " (" + member.host + ")";
    if (!member.problem.empty()) {
      problems.push_back({who, "cannot take part", member.problem, ""});
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
  if (!problems.empty()) throw Error(ExitStatus::internal, std::move(problems));
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

std::string crowds_of(std::vector<Member> const& members) {
  std::map<std::string, std::pair<int, int>> hosts;  // threads, processors
  for (auto const& member : members) {
    auto& [threads, processors] = hosts[member.host];
    threads += member.threads;
    processors = std::max(processors, member.processors);
  }
  std::string text;
  for (auto const& [host, of] : hosts) {
    if (of.second == 0 || of.first <= of.second) continue;
    text += (text.empty() ? "" : "; ") + host + ": " + std::to_string(of.first) + " threads on " +
            std::to_string(of.second) + " processors";
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
