// The CPU device's pool: every block once, whatever the work, from anywhere.
#include <oxide/runtime/cpu/block_pool.hpp>

#include <catch2/catch.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

using oxide::runtime::cpu::BlockPool;

namespace {

// Counts how often each block ran; a block takes `spin` steps.
struct Counts {
  explicit Counts(std::uint64_t blocks, unsigned steps = 0) : size(blocks), counts(new std::atomic<unsigned>[blocks]()), spin(steps) {}
  static void run(void* context, std::uint64_t first, std::uint64_t end) {
    auto& self = *static_cast<Counts*>(context);
    for (std::uint64_t b = first; b != end; ++b) {
      for (unsigned i = 0; i != self.spin; ++i) asm volatile("" ::: "memory");
      self.counts[b].fetch_add(1, std::memory_order_relaxed);
    }
  }
  bool all_once() const {
    for (std::uint64_t b = 0; b != size; ++b)
      if (counts[b] != 1) return false;
    return true;
  }
  std::uint64_t size;
  std::unique_ptr<std::atomic<unsigned>[]> counts;
  unsigned spin;
};

// The threads that ran something.
struct Threads {
  static void run(void* context, std::uint64_t first, std::uint64_t end) {
    auto& self = *static_cast<Threads*>(context);
    {
      const std::lock_guard lock(self.mutex);
      self.seen.insert(std::this_thread::get_id());
    }
    for (std::uint64_t i = 0; i != (end - first) * 200000; ++i) asm volatile("" ::: "memory");
  }
  std::mutex mutex;
  std::set<std::thread::id> seen;
};

}  // namespace

TEST_CASE("every block runs once") {
  for (const unsigned threads : {1u, 2u, 3u, 16u}) {
    BlockPool pool(threads);
    for (const std::uint64_t blocks : {0u, 1u, 2u, 7u, 100u, 4096u, 100000u})
      for (const unsigned spin : {0u, 300u}) {
        Counts counts(blocks, spin);
        pool.run(blocks, Counts::run, &counts);
        CHECK(counts.all_once());
      }
  }
}

TEST_CASE("large work runs on several threads and small work on the caller alone") {
  BlockPool pool(4);
  Threads large;
  pool.run(2000, Threads::run, &large);
  CHECK(large.seen.size() > 1);
  CHECK(large.seen.size() <= 4);

  // How long a block takes is measured, so a caller that had to wait for a processor may find its work large: not again and again.
  struct Small {
    std::mutex mutex;
    std::set<std::thread::id> seen;  // guarded by mutex
    static void run(void* context, std::uint64_t, std::uint64_t) {
      Small& self = *static_cast<Small*>(context);
      const std::lock_guard lock(self.mutex);
      self.seen.insert(std::this_thread::get_id());
    }
  };
  bool alone = false;
  for (int attempt = 0; attempt != 50 && !alone; ++attempt) {
    Small small;
    pool.run(64, Small::run, &small);
    alone = small.seen == std::set<std::thread::id>{std::this_thread::get_id()};
  }
  CHECK(alone);
}

TEST_CASE("a run from inside a run ends") {
  BlockPool pool(3);
  struct Outer {
    BlockPool* pool;
    std::atomic<unsigned> ran{0};
    static void run(void* context, std::uint64_t first, std::uint64_t end) {
      auto& self = *static_cast<Outer*>(context);
      for (; first != end; ++first) {
        Counts inner(500, 2000);
        self.pool->run(500, Counts::run, &inner);
        if (inner.all_once()) ++self.ran;
      }
    }
  } outer{&pool};
  pool.run(40, Outer::run, &outer);
  CHECK(outer.ran == 40);
}

TEST_CASE("runs of several threads at once are apart") {
  BlockPool pool(4);
  std::atomic<unsigned> good{0};
  std::vector<std::thread> callers;
  for (int t = 0; t != 6; ++t)
    callers.emplace_back([&] {
      for (int i = 0; i != 20; ++i) {
        Counts counts(3000, 100);
        pool.run(3000, Counts::run, &counts);
        if (counts.all_once()) ++good;
      }
    });
  for (std::thread& t : callers) t.join();
  CHECK(good == 120);
}

TEST_CASE("a fault ends the run soon") {
  BlockPool pool(2);
  struct Faulty {
    std::uint32_t stop = 0;
    std::atomic<std::uint64_t> ran{0};
    static void run(void* context, std::uint64_t first, std::uint64_t end) {
      auto& self = *static_cast<Faulty*>(context);
      self.ran += end - first;
      for (std::uint64_t i = 0; i != (end - first) * 10000; ++i) asm volatile("" ::: "memory");
      __atomic_store_n(&self.stop, 1u, __ATOMIC_RELAXED);
    }
  } faulty;
  pool.run(1000000, Faulty::run, &faulty, &faulty.stop);
  CHECK(faulty.ran < 500000);
}

TEST_CASE("a stopped pool runs on the caller") {
  BlockPool pool(4);
  Threads before, after;
  pool.run(500, Threads::run, &before);
  pool.stop();
  pool.run(500, Threads::run, &after);
  CHECK(after.seen == std::set<std::thread::id>{std::this_thread::get_id()});
}

TEST_CASE("a forked process runs its blocks without the parent's threads") {
  BlockPool pool(4);
  // Again and again, so that some of the forks are made while a thread of the pool has its mutex.
  for (int round = 0; round != 30; ++round) {
    Counts warm(5000, 300);
    pool.run(5000, Counts::run, &warm);
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);  // a deadlock ends the child
      Counts counts(5000, 300);
      pool.run(5000, Counts::run, &counts);
      pool.stop();
      _exit(counts.all_once() ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    REQUIRE(status == 0);
  }
}
