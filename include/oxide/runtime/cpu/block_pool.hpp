// Runs the blocks of a launch on the calling thread and, when there is enough work, on a pool of threads.
//
// The calling thread always works too and only ever waits for threads that are in the middle of a range, so a launch from inside
// another one's range, or from a process that was forked and has no pool threads, still ends.
#pragma once

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include <oxide/runtime/cpu/floating_environment.hpp>

namespace oxide::runtime::cpu {

// Runs blocks [first, end). Must not throw.
using BlockRange = void (*)(void* context, std::uint64_t first, std::uint64_t end);

class BlockPool {
 public:
  // The process's pool: as many threads as the process may run on, or as the environment variable OXIDE_CPU_THREADS says.
  static BlockPool& get();

  explicit BlockPool(unsigned threads) : threads_(threads < 1 ? 1 : threads) {}
  ~BlockPool() { stop(); }
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  unsigned threads() const { return threads_; }  // with the caller

  // Calls `body` with ranges that together are [0, blocks), each block once, and returns when all have returned. Once `*stop` is not
  // zero no further range is started (`stop` may be null). Several threads may call this at once.
  // `expected_cost` of a block, in ticks, is what an earlier run returned, or 0; it saves this run from finding out in small steps. Returns
  // what a block cost at the start of this run.
  double run(std::uint64_t blocks, BlockRange body, void* context, const std::uint32_t* stop = nullptr, double expected_cost = 0);

  // Ends the threads. Later runs happen on the calling thread alone.
  void stop();

 private:
  struct Job {
    BlockRange body;
    void* context;
    const std::uint32_t* stop;
    std::uint64_t end;
    std::uint64_t chunk;
    std::atomic<std::uint64_t> next;
    std::atomic<unsigned> active{0};  // pool threads inside
    unsigned wanted = 0;  // pool threads that may still come in; guarded by mutex_
    Job* later = nullptr;  // guarded by mutex_
  };
  class Lock;

  // Work below this is not worth waking a thread for: a wake-up costs about as much.
  static constexpr std::uint64_t worth_waking_us = 20;
  static constexpr std::uint64_t probe_us = 5;

  static bool stopped(const std::uint32_t* stop) { return stop != nullptr && __atomic_load_n(stop, __ATOMIC_RELAXED) != 0; }
  static void drain(Job& job);
  static void* thread_main(void* pool);
  // Whether this is a fork of the process with the threads: it has none of them, and one may have held the mutex when it was made.
  bool forked() const {
    const pid_t owner = owner_.load(std::memory_order_relaxed);
    return owner != 0 && owner != getpid();
  }
  void share(Job& job);
  void start_threads();
  void serve();

  unsigned threads_;
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t work_ = PTHREAD_COND_INITIALIZER;  // a job came, or stopping_
  pthread_cond_t left_ = PTHREAD_COND_INITIALIZER;  // a thread left a job as its last
  Job* jobs_ = nullptr;
  bool started_ = false, stopping_ = false;
  std::atomic<pid_t> owner_{0};  // the process that started the threads
  std::vector<pthread_t> workers_;
};

class BlockPool::Lock {
 public:
  explicit Lock(pthread_mutex_t& mutex) : mutex_(mutex) { pthread_mutex_lock(&mutex_); }
  ~Lock() { pthread_mutex_unlock(&mutex_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  pthread_mutex_t& mutex_;
};

namespace detail {

inline unsigned usable_threads() {
  if (const char* text = getenv("OXIDE_CPU_THREADS"); text != nullptr)
    if (const long n = strtol(text, nullptr, 10); n > 0) return static_cast<unsigned>(n < 4096 ? n : 4096);
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<unsigned>(CPU_COUNT(&set));
  const long n = sysconf(_SC_NPROCESSORS_ONLN);  // more processors than a cpu_set_t holds
  return n > 0 ? static_cast<unsigned>(n) : 1;
}

inline void pause_cpu() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// A clock that costs next to nothing to read and tells durations well enough to decide by: within a factor of two.
#if defined(__x86_64__)
inline std::uint64_t ticks() { return __builtin_ia32_rdtsc(); }
inline std::uint64_t ticks_per_us() { return 3000; }  // the time stamp counter runs at the nominal frequency, 2 to 4 GHz
#elif defined(__aarch64__)
inline std::uint64_t ticks() {
  std::uint64_t t;
  asm volatile("mrs %0, cntvct_el0" : "=r"(t));
  return t;
}
inline std::uint64_t ticks_per_us() {
  std::uint64_t hertz;
  asm volatile("mrs %0, cntfrq_el0" : "=r"(hertz));
  return hertz < 1000000 ? 1 : hertz / 1000000;
}
#else
inline std::uint64_t ticks() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1000000000u + static_cast<std::uint64_t>(t.tv_nsec);
}
inline std::uint64_t ticks_per_us() { return 1000; }
#endif

}  // namespace detail

inline BlockPool& BlockPool::get() {
  static BlockPool& pool = *new BlockPool(detail::usable_threads());  // never freed: static objects may still launch at exit
  static const struct StopAtExit {
    ~StopAtExit() { pool.stop(); }
  } stop_at_exit;
  return pool;
}

inline double BlockPool::run(std::uint64_t blocks, BlockRange body, void* context, const std::uint32_t* stop, double expected_cost) {
  if (blocks <= 1 || threads_ == 1) {
    if (blocks != 0) body(context, 0, blocks);
    return expected_cost;
  }
  // The first blocks run here, in doubling steps, until they show what a block costs.
  const std::uint64_t start = detail::ticks(), per_us = detail::ticks_per_us(), probe = probe_us * per_us;
  std::uint64_t done = 0, elapsed = 0;
  std::uint64_t step = expected_cost > 0 ? static_cast<std::uint64_t>(static_cast<double>(probe) / expected_cost) + 1 : 1;
  for (; elapsed < probe; step *= 2) {
    const std::uint64_t end = blocks - done > step ? done + step : blocks;
    body(context, done, end);
    done = end;
    elapsed = detail::ticks() - start;
    if (done == blocks || stopped(stop)) return static_cast<double>(elapsed) / static_cast<double>(done);
  }
  const std::uint64_t remaining = blocks - done;
  const double cost = static_cast<double>(elapsed) / static_cast<double>(done);
  const double worth = cost * static_cast<double>(remaining) / static_cast<double>(worth_waking_us * per_us);
  if (worth < 1) {
    body(context, done, blocks);
    return cost;
  }
  // Ranges long enough to cost nothing to hand out, short enough to end together.
  const auto shortest = static_cast<std::uint64_t>(static_cast<double>(probe) / cost) + 1;
  const std::uint64_t fair = remaining / (std::uint64_t{threads_} * 16);
  Job job{body, context, stop, blocks, fair > shortest ? fair : shortest, {done}};
  const std::uint64_t others = (remaining + job.chunk - 1) / job.chunk - 1;  // ranges besides the first
  job.wanted = threads_ - 1;
  if (others < job.wanted) job.wanted = static_cast<unsigned>(others);
  if (worth < static_cast<double>(job.wanted)) job.wanted = static_cast<unsigned>(worth);
  share(job);
  return cost;
}

inline void BlockPool::share(Job& job) {
  if (job.wanted == 0 || forked()) return drain(job);
  {
    const Lock lock(mutex_);
    if (!started_) start_threads();
    if (!stopping_) {
      job.later = jobs_;
      jobs_ = &job;
      pthread_cond_signal(&work_);  // one; each thread that comes in wakes the next
    }
  }
  drain(job);
  {
    const Lock lock(mutex_);
    for (Job** at = &jobs_; *at != nullptr; at = &(*at)->later)
      if (*at == &job) {
        *at = job.later;
        break;
      }
  }
  // The others are at the end of their last range: most often a short wait.
  for (int i = 0; i != 1000 && job.active.load(std::memory_order_acquire) != 0; ++i) detail::pause_cpu();
  if (job.active.load(std::memory_order_acquire) == 0) return;
  const Lock lock(mutex_);
  while (job.active.load(std::memory_order_acquire) != 0) pthread_cond_wait(&left_, &mutex_);
}

inline void BlockPool::drain(Job& job) {
  while (!stopped(job.stop)) {
    const std::uint64_t first = job.next.fetch_add(job.chunk, std::memory_order_relaxed);
    if (first >= job.end) return;
    job.body(job.context, first, job.end - first > job.chunk ? first + job.chunk : job.end);
  }
}

inline void BlockPool::start_threads() {
  started_ = true;
  owner_.store(getpid(), std::memory_order_relaxed);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // signals stay with the program's own threads
  for (unsigned i = 1; i != threads_; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, nullptr, thread_main, this) != 0) break;  // fewer threads then, and still every block
    workers_.push_back(thread);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

inline void* BlockPool::thread_main(void* pool) {
  static_cast<BlockPool*>(pool)->serve();
  return nullptr;
}

inline void BlockPool::serve() {
  const FloatingEnvironment environment;  // the thread inherited its maker's
  const Lock lock(mutex_);
  while (!stopping_) {
    Job* job = jobs_;
    while (job != nullptr && job->wanted == 0) job = job->later;
    if (job == nullptr) {
      pthread_cond_wait(&work_, &mutex_);
      continue;
    }
    job->active.fetch_add(1, std::memory_order_relaxed);
    if (--job->wanted != 0 || job->later != nullptr) pthread_cond_signal(&work_);
    pthread_mutex_unlock(&mutex_);
    drain(*job);
    pthread_mutex_lock(&mutex_);
    // The job is gone as soon as its caller sees no thread inside.
    if (job->active.fetch_sub(1, std::memory_order_release) == 1) pthread_cond_broadcast(&left_);
  }
}

inline void BlockPool::stop() {
  if (forked()) return;
  std::vector<pthread_t> workers;
  {
    const Lock lock(mutex_);
    stopping_ = started_ = true;
    workers.swap(workers_);
    pthread_cond_broadcast(&work_);
  }
  for (pthread_t thread : workers) pthread_join(thread, nullptr);
}

}  // namespace oxide::runtime::cpu
