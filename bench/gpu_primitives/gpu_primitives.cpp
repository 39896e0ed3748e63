// Reduction, scan and radix sort of 2^28 u32 on a GPU, against CUB's device-wide versions: the same data, in the same stream.
//
//   bench_gpu_primitives                     the figures; on stderr those of other tile sizes, and of the sort's kernels
//   bench_gpu_primitives --cub SM FILE       makes the library of CUB's algorithms for sm_SM, which OXIDE_BENCH_CUB=FILE then names
#include <oxide/algorithm/radix_sort.hpp>
#include <oxide/algorithm/reduce.hpp>
#include <oxide/algorithm/scan.hpp>
#include <oxide/oxide.hpp>

#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string_view>

#include "gpu_primitives/cub.hpp"
#include "support/figure.hpp"

namespace {

using namespace oxide::bench;
namespace device = oxide::device;
using Buffer = oxide::DeviceBuffer<std::uint32_t>;

constexpr std::size_t n = std::size_t{1} << 28;
constexpr int rounds = 15;
constexpr double goal = 0.9;

constexpr auto plus = [](oxide::u32 a, oxide::u32 b) { return a + b; };

// Numbers without order.
constexpr auto scatter = oxide::kernel("scatter", [](oxide::DisjointSpan<std::uint32_t> out) {
  for (auto i : oxide::grid_stride(out.size()))
    if (auto e = out.get_mut(i)) {
      oxide::u32 x = oxide::cast<std::uint32_t>(i.value()) * 0x9e3779b1u;
      x = (x ^ x >> 16) * 0x85ebca6bu;
      x = (x ^ x >> 13) * 0xc2b2ae35u;
      *e = x ^ x >> 16;
    }
});

constexpr auto count_differences = oxide::kernel(
    "count_differences", [](oxide::Span<const std::uint32_t> a, oxide::Span<const std::uint32_t> b, oxide::Span<std::uint32_t> count) {
      for (auto i : oxide::range(oxide::u64(oxide::block_idx.x()) * oxide::block_dim.x() + oxide::thread_idx.x(), a.size(),
                                 oxide::u64(oxide::grid_dim.x()) * oxide::block_dim.x()))
        if (a[i] != b[i]) oxide::atomic(count, 0).fetch_add(1u);
    });

const oxide::LaunchConfig wide{.grid = 4096, .block = 256};

class Bench {
 public:
  Bench(Report& report, const Cub& cub, const oxide::Stream& stream) : report_(report), cub_(cub), stream_(stream) {
    scatter(stream_, wide, in_);
  }

  void reduce() {
    Buffer ours = Buffer::zeroed(stream_, 1), theirs = Buffer::zeroed(stream_, 1);
    const auto cub = with_temporary(cub_.reduce, theirs);
    const auto one = [&]<device::ReduceTuning tuning>() {
      device::Reduce<std::uint32_t, decltype(plus), tuning> reduce(stream_, 0, plus);
      variant(
          "reduce", fmt::format("{}x{} {}", tuning.threads, tuning.vectors, tuning.blocks), 4.0 * n, [&] { reduce(stream_, in_, ours); },
          cub, tuning == device::ReduceTuning{});
      same("reduce", ours, theirs);
    };
    one.template operator()<device::ReduceTuning{}>();
    one.template operator()<device::ReduceTuning{512, 4, 4}>();
    one.template operator()<device::ReduceTuning{256, 8, 4}>();
    one.template operator()<device::ReduceTuning{256, 2, 8}>();
    one.template operator()<device::ReduceTuning{512, 8, 2}>();
  }

  void scan() {
    Buffer ours = Buffer::uninitialized(stream_, n), theirs = Buffer::uninitialized(stream_, n);
    const auto cub = with_temporary(cub_.scan, theirs);
    const auto one = [&]<device::ScanTuning tuning>() {
      device::Scan<std::uint32_t, decltype(plus), tuning> scan(stream_, n, 0, plus);
      variant(
          "scan", fmt::format("{}x{} {}{}", tuning.threads, tuning.vectors, tuning.blocks, tuning.tickets ? "" : " by number"), 8.0 * n,
          [&] { scan.inclusive(stream_, in_, ours); }, cub, tuning == device::ScanTuning{});
      same("scan", ours, theirs);
    };
    one.template operator()<device::ScanTuning{}>();
    one.template operator()<device::ScanTuning{1024, 4, 2, false}>();
    one.template operator()<device::ScanTuning{1024, 6, 1}>();
    one.template operator()<device::ScanTuning{256, 4, 0}>();
    one.template operator()<device::ScanTuning{1024, 2, 2}>();
    one.template operator()<device::ScanTuning{768, 5, 2}>();
    one.template operator()<device::ScanTuning{512, 8, 2}>();
    one.template operator()<device::ScanTuning{512, 6, 2}>();
  }

  void sort() {
    Buffer ours = Buffer::uninitialized(stream_, n), theirs = Buffer::uninitialized(stream_, n);
    const auto cub = with_temporary(cub_.sort, theirs);
    const auto one = [&]<device::RadixSortTuning tuning>() {
      device::RadixSort<std::uint32_t, tuning> sort(stream_, n);
      constexpr const char* matches[] = {"match_any", "ballots", "atomic_or"};
      variant(
          "radix_sort", fmt::format("{}x{} {} {}", tuning.threads, tuning.items, matches[static_cast<int>(tuning.match)], tuning.blocks),
          36.0 * n, [&] { sort(stream_, ours); }, cub, tuning == device::RadixSortTuning{}, [&] { ours.copy_from(stream_, in_); });
      same("radix_sort", ours, theirs);
    };
    using enum device::DigitMatch;
    one.template operator()<device::RadixSortTuning{}>();
    one.template operator()<device::RadixSortTuning{384, 23, atomic_or, 2}>();
    one.template operator()<device::RadixSortTuning{384, 23, match_any, 3}>();
    one.template operator()<device::RadixSortTuning{384, 23, ballots, 3}>();
    one.template operator()<device::RadixSortTuning{384, 18, atomic_or, 3}>();
    one.template operator()<device::RadixSortTuning{256, 24, atomic_or, 4}>();
    one.template operator()<device::RadixSortTuning{512, 20, atomic_or, 2}>();
    one.template operator()<device::RadixSortTuning{512, 16, match_any, 3}>();
    kernels_of_sort();
  }

 private:
  // What the sort's time is made of.
  void kernels_of_sort() {
    namespace radix = oxide::detail::radix;
    constexpr device::RadixSortTuning tuning{};
    constexpr std::size_t tile = std::size_t{tuning.threads} * tuning.items, tiles = (n + tile - 1) / tile;
    Buffer out = Buffer::uninitialized(stream_, n), counts = Buffer::zeroed(stream_, 1024), tickets = Buffer::zeroed(stream_, 4),
           states = Buffer::zeroed(stream_, tiles * 1024);
    const auto time = [&](auto&& work) {
      stream_.synchronize();
      return 1e3 * seconds([&] {
               work();
               stream_.synchronize();
             });
    };
    radix::histogram<std::uint32_t>(stream_, {.grid = 2048, .block = 256}, in_, counts);
    for (const std::uint32_t blocks : {528u, 1056u, 2048u, 4096u})
      report_.detail("radix_sort", fmt::format("histogram, {} blocks: {:.3f} ms", blocks, time([&] {
                                                 radix::histogram<std::uint32_t>(stream_, {.grid = blocks, .block = 256}, in_, counts);
                                               })));
    report_.detail("radix_sort", fmt::format("zeroing: {:.3f} ms", time([&] { stream_.state().zero(states.data(), states.bytes()); })));
    stream_.state().zero(counts.data(), counts.bytes());
    radix::histogram<std::uint32_t>(stream_, {.grid = 2048, .block = 256}, in_, counts);
    report_.detail("radix_sort",
                   fmt::format("starts: {:.3f} ms", time([&] { radix::starts(stream_, {.grid = 4, .block = 256}, counts); })));
    const oxide::LaunchConfig config{.grid = static_cast<std::uint32_t>(tiles), .block = tuning.threads, .shared = {tile}};
    for (const std::uint32_t pass : {0u, 1u, 2u, 3u})
      report_.detail("radix_sort", fmt::format("pass {}: {:.3f} ms", pass, time([&] {
                                                 radix::sweep<std::uint32_t, tuning>(stream_, config, pass, pass, n, in_, out, counts,
                                                                                     states, tickets);
                                               })));
  }

  // CUB's algorithm as a call, with its temporary memory.
  std::function<void()> with_temporary(Cub::Algorithm algorithm, Buffer& out) {
    std::size_t bytes = 0;
    const auto call = [this, algorithm, &out](void* temporary, std::size_t size) {
      if (const int error = algorithm(temporary, &size, in_.data(), out.data(), n, stream_.raw()); error != 0)
        throw std::runtime_error("CUB gives error " + std::to_string(error));
    };
    if (algorithm(nullptr, &bytes, in_.data(), out.data(), n, stream_.raw()) != 0)
      throw std::runtime_error("CUB does not say what memory it needs");
    auto temporary = std::make_shared<oxide::DeviceBuffer<std::uint8_t>>(oxide::DeviceBuffer<std::uint8_t>::uninitialized(stream_, bytes));
    return [call, temporary, bytes] { call(temporary->data(), bytes); };
  }

  // Each sample is one run, from a stream that is empty to one that is again; `prepare` is not in it.
  template <class Ours, class Theirs, class Prepare = void (*)()>
  void variant(
      const char* what, const std::string& tuning, double bytes, Ours&& ours, Theirs&& theirs, bool is_figure, Prepare&& prepare = [] {}) {
    const auto sample = [&](auto& work) {
      prepare();
      stream_.synchronize();
      return seconds([&] {
        work();
        stream_.synchronize();
      });
    };
    sample(ours);
    sample(theirs);
    const Comparison c = compare(is_figure ? 2 * rounds + 1 : rounds, [&] { return sample(theirs); }, [&] { return sample(ours); });
    report_.detail(what, fmt::format("{}: CUB {:.3f} ms, oxide {:.3f} ms, {:.0f} GB/s, ratio {:.3f}", tuning, c.ours * 1e3, c.theirs * 1e3,
                                     1e-9 * bytes / c.theirs, c.ratio()));
    if (is_figure) report_.figure(what, c.ratio(), at_least(goal));
    prepare();
    ours();
  }

  void same(const char* what, const Buffer& ours, const Buffer& theirs) {
    Buffer count = Buffer::zeroed(stream_, 1);
    count_differences(stream_, wide, ours, theirs, count);
    if (const std::uint32_t different = count.to_host(stream_)[0]; different != 0)
      throw std::runtime_error(fmt::format("{}: {} elements differ from CUB's", what, different));
  }

  Report& report_;
  const Cub& cub_;
  const oxide::Stream stream_;
  Buffer in_ = Buffer::uninitialized(stream_, n);
};

}  // namespace

int main(int argc, char** argv) {
  Report report("gpu_primitives");
  std::string why;
  if (argc == 4 && std::string_view(argv[1]) == "--cub") {
    if (Cub::build(static_cast<unsigned>(std::stoul(argv[2])), argv[3], why)) return 0;
    fmt::print(stderr, "bench_gpu_primitives: {}\n", why);
    return 1;
  }
  const auto cases = {std::pair{"reduce", &Bench::reduce}, std::pair{"scan", &Bench::scan}, std::pair{"radix_sort", &Bench::sort}};
  std::optional<oxide::Device> gpu;
  std::optional<Cub> cub;
  try {
    gpu = oxide::Device::gpu(0);
    cub = Cub::load(gpu->properties().sm, why);
  } catch (const std::exception& e) {
    why = e.what();
  }
  if (!cub) {
    for (const auto& [name, run] : cases) report.skip(name, why);
    return report.exit_code();
  }
  try {
    Bench bench(report, *cub, gpu->new_stream());
    for (const auto& [name, run] : cases) try {
        (bench.*run)();
      } catch (const std::exception& e) {
        report.error(name, e.what());
      }
  } catch (const std::exception& e) {
    report.error("data", e.what());
  }
  return report.exit_code();
}
