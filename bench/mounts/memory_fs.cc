// SPDX-License-Identifier: Apache-2.0
// A FUSE file system that only keeps what it is told in memory: what is left of any other one when its own work is
// taken away. With the levers of docs/posix.md, and for what the loads of load.cc do; nothing else. One lock, no
// checks. usage: memory_fs DIR
#define FUSE_USE_VERSION 312
#include <fuse_lowlevel.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

constexpr double kForEver = 1e9;  // seconds

struct Node {
  fuse_ino_t number = 0;
  mode_t mode = 0;
  std::string content;
  std::map<std::string, std::unique_ptr<Node>, std::less<>> children;
};

std::mutex mutex;
Node root{.number = FUSE_ROOT_ID, .mode = S_IFDIR | 0755, .content = {}, .children = {}};
std::unordered_map<fuse_ino_t, Node*> nodes{{FUSE_ROOT_ID, &root}};
fuse_ino_t last_number = FUSE_ROOT_ID;
std::vector<std::unique_ptr<Node>> removed;  // what the kernel may still know

struct stat StatOf(const Node& node) {
  struct stat stat {};
  stat.st_ino = node.number;
  stat.st_mode = node.mode;
  stat.st_nlink = 1;
  stat.st_size = static_cast<off_t>(node.content.size());
  stat.st_blocks = stat.st_size / 512;
  return stat;
}

fuse_entry_param EntryOf(const Node& node) {
  return {
      .ino = node.number, .generation = 1, .attr = StatOf(node), .attr_timeout = kForEver, .entry_timeout = kForEver};
}

Node& Make(fuse_ino_t parent, const char* name, mode_t mode) {
  auto node = std::make_unique<Node>();
  node->number = ++last_number;
  node->mode = mode;
  Node& made = *node;
  nodes[made.number] = &made;
  nodes[parent]->children[name] = std::move(node);
  return made;
}

void Init(void*, fuse_conn_info* connection) {
  connection->want |= connection->capable & FUSE_CAP_READDIRPLUS;
  connection->want &= ~(FUSE_CAP_READDIRPLUS_AUTO | FUSE_CAP_AUTO_INVAL_DATA);
}

void Lookup(fuse_req_t request, fuse_ino_t parent, const char* name) {
  const std::lock_guard lock(mutex);
  const auto& children = nodes[parent]->children;
  const auto found = children.find(std::string_view(name));
  fuse_entry_param entry{};
  entry.entry_timeout = kForEver;
  if (found != children.end()) entry = EntryOf(*found->second);
  fuse_reply_entry(request, &entry);
}

void Forget(fuse_req_t request, fuse_ino_t, uint64_t) { fuse_reply_none(request); }

void ForgetMulti(fuse_req_t request, size_t, fuse_forget_data*) { fuse_reply_none(request); }

void GetAttr(fuse_req_t request, fuse_ino_t number, fuse_file_info*) {
  const std::lock_guard lock(mutex);
  const struct stat stat = StatOf(*nodes[number]);
  fuse_reply_attr(request, &stat, kForEver);
}

void SetAttr(fuse_req_t request, fuse_ino_t number, struct stat* attributes, int mask, fuse_file_info*) {
  const std::lock_guard lock(mutex);
  Node& node = *nodes[number];
  if ((mask & FUSE_SET_ATTR_SIZE) != 0) node.content.resize(static_cast<size_t>(attributes->st_size));
  const struct stat stat = StatOf(node);
  fuse_reply_attr(request, &stat, kForEver);
}

void MakeDirectory(fuse_req_t request, fuse_ino_t parent, const char* name, mode_t mode) {
  const std::lock_guard lock(mutex);
  const fuse_entry_param entry = EntryOf(Make(parent, name, S_IFDIR | mode));
  fuse_reply_entry(request, &entry);
}

void Create(fuse_req_t request, fuse_ino_t parent, const char* name, mode_t mode, fuse_file_info* file) {
  const std::lock_guard lock(mutex);
  const fuse_entry_param entry = EntryOf(Make(parent, name, S_IFREG | mode));
  file->keep_cache = 1;
  fuse_reply_create(request, &entry, file);
}

void Open(fuse_req_t request, fuse_ino_t, fuse_file_info* file) {
  file->keep_cache = 1;
  fuse_reply_open(request, file);
}

void Write(fuse_req_t request, fuse_ino_t number, const char* bytes, size_t size, off_t offset, fuse_file_info*) {
  const std::lock_guard lock(mutex);
  std::string& content = nodes[number]->content;
  const auto begin = static_cast<size_t>(offset);
  if (content.size() < begin + size) content.resize(begin + size);
  content.replace(begin, size, bytes, size);
  fuse_reply_write(request, size);
}

void Read(fuse_req_t request, fuse_ino_t number, size_t size, off_t offset, fuse_file_info*) {
  const std::lock_guard lock(mutex);
  const std::string& content = nodes[number]->content;
  const size_t begin = std::min(static_cast<size_t>(offset), content.size());
  fuse_reply_buf(request, content.data() + begin, std::min(size, content.size() - begin));
}

// Positions are numbers of nodes, which grow in a directory that is only listed and emptied.
void List(fuse_req_t request, fuse_ino_t number, size_t size, off_t position, fuse_file_info*) {
  const std::lock_guard lock(mutex);
  std::vector<std::pair<fuse_ino_t, std::string_view>> order;
  const auto& children = nodes[number]->children;
  for (const auto& [name, child] : children) {
    if (child->number > static_cast<fuse_ino_t>(position)) order.emplace_back(child->number, name);
  }
  std::sort(order.begin(), order.end());
  std::string reply(size, '\0');
  size_t used = 0;
  for (const auto& [child, name] : order) {
    const fuse_entry_param entry = EntryOf(*nodes[child]);
    const size_t more = fuse_add_direntry_plus(request, reply.data() + used, size - used, std::string(name).c_str(),
                                               &entry, static_cast<off_t>(child));
    if (more > size - used) break;
    used += more;
  }
  fuse_reply_buf(request, reply.data(), used);
}

void Remove(fuse_req_t request, fuse_ino_t parent, const char* name) {
  const std::lock_guard lock(mutex);
  auto& children = nodes[parent]->children;
  const auto found = children.find(std::string_view(name));
  if (found == children.end()) {
    fuse_reply_err(request, ENOENT);
    return;
  }
  found->second->content = {};
  removed.push_back(std::move(found->second));
  children.erase(found);
  fuse_reply_err(request, 0);
}

void Sync(fuse_req_t request, fuse_ino_t, int, fuse_file_info*) { fuse_reply_err(request, 0); }

fuse_lowlevel_ops Operations() {
  fuse_lowlevel_ops operations{};
  operations.init = Init;
  operations.lookup = Lookup;
  operations.forget = Forget;
  operations.forget_multi = ForgetMulti;
  operations.getattr = GetAttr;
  operations.setattr = SetAttr;
  operations.mkdir = MakeDirectory;
  operations.create = Create;
  operations.open = Open;
  operations.write = Write;
  operations.read = Read;
  operations.readdirplus = List;
  operations.unlink = Remove;
  operations.rmdir = Remove;
  operations.fsync = Sync;
  operations.fsyncdir = Sync;
  return operations;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return EXIT_FAILURE;
  char name[] = "memory_fs";
  char option[] = "-odefault_permissions";
  char* arguments[] = {name, option, nullptr};
  fuse_args args = FUSE_ARGS_INIT(2, arguments);
  const fuse_lowlevel_ops operations = Operations();
  fuse_session* session = fuse_session_new(&args, &operations, sizeof operations, nullptr);
  if (session == nullptr || fuse_set_signal_handlers(session) != 0 || fuse_session_mount(session, argv[1]) != 0) {
    return EXIT_FAILURE;
  }
  fuse_loop_config* config = fuse_loop_cfg_create();
  const int error = fuse_session_loop_mt(session, config);
  fuse_loop_cfg_destroy(config);
  fuse_session_unmount(session);
  fuse_remove_signal_handlers(session);
  fuse_session_destroy(session);
  return error == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
