// SPDX-License-Identifier: Apache-2.0
// A sorted map that is a persistent value. Copying it is O(1), and changing one entry of a copy makes O(log n) new
// nodes. Copies share in memory the nodes that they have in common. It is a balanced binary tree (AVL) whose nodes are
// never changed once they are made.
//
// Invariants
//   1. The heights of a node's two sides differ by at most one.
//   2. Nodes and entries are immutable: whoever holds a map, or a pointer into one that it holds, needs no lock.
#pragma once

#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>

namespace betr {

// Not thread-safe; copies may be used by different threads. `Less` may be transparent.
template <class K, class V, class Less = std::less<>>
class PersistentMap {
  struct Node;
  using Link = std::shared_ptr<const Node>;

 public:
  using Entry = std::pair<const K, V>;

  // Goes in the order of keys. Valid as long as there is a map that has the nodes.
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Entry;
    using difference_type = ptrdiff_t;
    using pointer = const Entry*;
    using reference = const Entry&;

    Iterator() = default;
    const Entry& operator*() const { return *path_.back()->entry; }
    const Entry* operator->() const { return path_.back()->entry.get(); }
    Iterator& operator++() {
      const Node* right = path_.back()->right.get();
      path_.pop_back();
      Descend(right);
      return *this;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.path_ == b.path_; }

   private:
    friend class PersistentMap;
    void Descend(const Node* node) {
      for (; node != nullptr; node = node->left.get()) path_.push_back(node);
    }
    absl::InlinedVector<const Node*, 32> path_;  // nodes that come, with their right sides, after those before them
  };

  bool Empty() const { return root_ == nullptr; }
  size_t Size() const { return size_; }
  // Null if there is no such key. Valid as long as there is a map that has the entry.
  template <class Q>
  const V* Find(const Q& key) const {
    const Node* node = root_.get();
    while (node != nullptr) {
      if (Less()(key, node->entry->first)) {
        node = node->left.get();
      } else if (Less()(node->entry->first, key)) {
        node = node->right.get();
      } else {
        return &node->entry->second;
      }
    }
    return nullptr;
  }
  template <class Q>
  bool Contains(const Q& key) const {
    return Find(key) != nullptr;
  }
  Iterator begin() const {
    Iterator at;
    at.Descend(root_.get());
    return at;
  }
  Iterator end() const { return {}; }

  // Inserts or replaces.
  void Set(K key, V value) {
    bool fresh = false;
    auto entry = std::make_shared<const Entry>(std::move(key), std::move(value));
    root_ = With(root_, std::move(entry), fresh);
    size_ += fresh ? 1 : 0;
  }
  // False if there is no such key.
  template <class Q>
  bool Remove(const Q& key) {
    if (!Contains(key)) return false;
    root_ = Without(root_, key);
    --size_;
    return true;
  }

  // The longest way from the root down. / How many of the nodes are not in `other`, whose changed copy this is. For
  // tests.
  int Height() const { return HeightOf(root_); }
  size_t NodesNotIn(const PersistentMap& other) const { return Fresh(root_.get(), other); }

 private:
  using EntryPtr = std::shared_ptr<const Entry>;
  struct Node {
    EntryPtr entry;
    Link left;
    Link right;
    int height = 1;
  };

  static int HeightOf(const Link& link) { return link == nullptr ? 0 : link->height; }

  static Link Make(EntryPtr entry, Link left, Link right) {
    const int height = 1 + std::max(HeightOf(left), HeightOf(right));
    return std::make_shared<const Node>(Node{std::move(entry), std::move(left), std::move(right), height});
  }

  // Requires: the heights differ by at most two.
  static Link Balanced(const EntryPtr& entry, const Link& left, const Link& right) {
    if (HeightOf(left) > HeightOf(right) + 1) {
      if (HeightOf(left->left) >= HeightOf(left->right)) {
        return Make(left->entry, left->left, Make(entry, left->right, right));
      }
      const Node& middle = *left->right;
      return Make(middle.entry, Make(left->entry, left->left, middle.left), Make(entry, middle.right, right));
    }
    if (HeightOf(right) > HeightOf(left) + 1) {
      if (HeightOf(right->right) >= HeightOf(right->left)) {
        return Make(right->entry, Make(entry, left, right->left), right->right);
      }
      const Node& middle = *right->left;
      return Make(middle.entry, Make(entry, left, middle.left), Make(right->entry, middle.right, right->right));
    }
    return Make(entry, left, right);
  }

  static Link With(const Link& link, EntryPtr entry, bool& fresh) {
    if (link == nullptr) {
      fresh = true;
      return Make(std::move(entry), nullptr, nullptr);
    }
    if (Less()(entry->first, link->entry->first)) {
      return Balanced(link->entry, With(link->left, std::move(entry), fresh), link->right);
    }
    if (Less()(link->entry->first, entry->first)) {
      return Balanced(link->entry, link->left, With(link->right, std::move(entry), fresh));
    }
    return Make(std::move(entry), link->left, link->right);
  }

  // Requires: the key is there.
  template <class Q>
  static Link Without(const Link& link, const Q& key) {
    if (Less()(key, link->entry->first)) return Balanced(link->entry, Without(link->left, key), link->right);
    if (Less()(link->entry->first, key)) return Balanced(link->entry, link->left, Without(link->right, key));
    if (link->left == nullptr || link->right == nullptr) return link->left == nullptr ? link->right : link->left;
    const Node* next = link->right.get();
    while (next->left != nullptr) next = next->left.get();
    return Balanced(next->entry, link->left, Without(link->right, next->entry->first));
  }

  static size_t Fresh(const Node* node, const PersistentMap& other) {
    if (node == nullptr || other.Has(node)) return 0;
    return 1 + Fresh(node->left.get(), other) + Fresh(node->right.get(), other);
  }
  bool Has(const Node* wanted) const {
    const Node* node = root_.get();
    while (node != nullptr && node != wanted) {
      node = Less()(wanted->entry->first, node->entry->first)   ? node->left.get()
             : Less()(node->entry->first, wanted->entry->first) ? node->right.get()
                                                                : nullptr;
    }
    return node != nullptr;
  }

  Link root_;
  size_t size_ = 0;
};

}  // namespace betr
