// A hash map that all threads fill and search at the same time: open addressing, a key and its value in one 64-bit element, and a
// compare-and-exchange that claims an empty one.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include <oxide/dsl/atomic_struct.hpp>
#include <oxide/oxide.hpp>

#include "support/command_line.hpp"
#include "support/report.hpp"

namespace ox = oxide;

struct alignas(8) Entry {
  std::uint32_t key;  // 0: empty
  std::uint32_t value;
};
OXIDE_STRUCT(Entry, key, value)

constexpr std::uint32_t missing = 0xffffffff;

// Fibonacci hashing: the upper bits of a product spread best.
ox::u64 first_slot(const ox::u32& key, const ox::u64& slots) { return ox::u64(key) * 11400714819323198485ull >> 20 & (slots - 1u); }

// Puts the key in, or gives it the larger of its values; the number of slots is a power of two, and there are more of them than keys.
void insert(const ox::Span<Entry>& table, const ox::u32& key, const ox::u32& value) {
  ox::Value<Entry> entry, old;
  entry.key = key;
  entry.value = value;
  ox::u64 slot = first_slot(key, table.size());
  ox::boolean done = false;
  while (!done) {
    old = ox::atomic(table, slot).load();
    if (old.key != 0u && old.key != key) {
      slot = (slot + 1u) & (table.size() - 1u);
    } else if (old.key == key && old.value >= value) {
      done = true;
    } else {
      done = ox::atomic(table, slot).compare_exchange_strong(old, entry);
    }
  }
}

ox::u32 find(const ox::Span<Entry>& table, const ox::u32& key) {
  ox::u32 value = missing;
  ox::u64 slot = first_slot(key, table.size());
  ox::boolean done = false;
  while (!done) {
    ox::Value<Entry> entry = ox::atomic(table, slot).load();
    if (entry.key == key) value = entry.value;
    done = entry.key == key || entry.key == 0u;
    slot = (slot + 1u) & (table.size() - 1u);
  }
  return value;
}

// Inserts each pair, and looks for another thread's key meanwhile: it is there or not yet.
inline constexpr auto fill = ox::kernel("fill", [](ox::Span<const Entry> pairs, ox::Span<Entry> table, ox::Span<std::uint32_t> seen) {
  for (auto i : ox::grid_stride(pairs.size())) {
    insert(table, pairs[i].key, pairs[i].value);
    seen.unchecked_mut(i) = find(table, pairs[pairs.size() - 1u - i].key);
  }
});
inline constexpr auto look_up =
    ox::kernel("look_up", [](ox::Span<const std::uint32_t> keys, ox::Span<Entry> table, ox::Span<std::uint32_t> out) {
      for (auto i : ox::grid_stride(keys.size())) out.unchecked_mut(i) = find(table, keys[i]);
    });

int main(int argc, char** argv) {
  return support::run("hashmap", [&] {
    const support::CommandLine arguments(argc, argv, "Fills and searches a hash map.",
                                         {{"n", "pairs; 2^18 when not given, 2^24 on a GPU"}});
    const ox::Device device = arguments.device();
    const std::size_t n = arguments.number("n", std::size_t{1} << (device.is_gpu() ? 24 : 18));
    support::say_device(device);

    // Every third key or so comes more than once, with another value.
    std::vector<Entry> pairs(n);
    std::uint64_t state = 1;
    const auto random = [&] { return static_cast<std::uint32_t>((state = state * 6364136223846793005u + 1442695040888963407u) >> 32); };
    for (Entry& p : pairs) p = {1 + random() % static_cast<std::uint32_t>(std::min<std::size_t>(2 * n, 0xfffffff0)), random() >> 1};
    std::unordered_map<std::uint32_t, std::uint32_t> model;
    for (const Entry& p : pairs) model[p.key] = std::max(model[p.key], p.value);
    std::vector<std::uint32_t> keys(n);
    for (std::size_t i = 0; i != n; ++i) keys[i] = i % 2 == 0 ? pairs[i].key : 1 + random() % static_cast<std::uint32_t>(2 * n);

    std::size_t slots = 1;
    while (slots < 2 * n) slots *= 2;
    const ox::Stream stream = device.default_stream();
    const auto in = ox::DeviceBuffer<Entry>::from_host(stream, pairs);
    const auto wanted = ox::DeviceBuffer<std::uint32_t>::from_host(stream, keys);
    auto table = ox::DeviceBuffer<Entry>::zeroed(stream, slots);
    auto seen = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, n), found = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, n);
    const ox::LaunchConfig config{.grid = static_cast<std::uint32_t>(std::min<std::size_t>((n + 255) / 256, 1056)), .block = 256};
    fill(stream, config, in, table, seen);
    support::say_build("fill", *fill.build(device));
    look_up(stream, config, wanted, table, found);

    support::Checks checks;
    const std::vector<std::uint32_t> values = found.to_host(stream), early = seen.to_host(stream);
    std::size_t wrong = 0, wrong_early = 0, entries = 0;
    for (std::size_t i = 0; i != n; ++i) {
      const auto at = model.find(keys[i]);
      wrong += values[i] != (at == model.end() ? missing : at->second);
      wrong_early += early[i] != missing && early[i] > model.at(pairs[n - 1 - i].key);
    }
    for (const Entry& e : table.to_host(stream)) entries += e.key != 0;
    checks.expect(wrong == 0, "{} of {} keys give another value than the host's map", wrong, n);
    checks.expect(wrong_early == 0, "{} of {} keys gave a value that nobody put in, while others put theirs in", wrong_early, n);
    checks.expect(entries == model.size(), "the map has {} entries, the host's {}", entries, model.size());
    const double ms = support::best_launch_ms(stream, 5, [&] { look_up(stream, config, wanted, table, found); });
    support::say("launch", "{:.3f} ms to look {} keys up, {:.1f} million a second", ms, n, 1e-3 * static_cast<double>(n) / ms);
    return checks.exit_status();
  });
}
