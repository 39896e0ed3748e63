// Which PTX version and architecture a driver and a device lead to.
#include <oxide/jit/target.hpp>

#include <catch2/catch.hpp>

using oxide::jit::ptx_version_of_driver;
using oxide::jit::Target;
using oxide::jit::target_of_device;

TEST_CASE("the PTX version is the newest that the driver takes") {
  CHECK(ptx_version_of_driver(11080) == 0);
  CHECK(ptx_version_of_driver(12000) == 80);
  CHECK(ptx_version_of_driver(12050) == 85);
  CHECK(ptx_version_of_driver(12060) == 85);
  CHECK(ptx_version_of_driver(12080) == 87);
  CHECK(ptx_version_of_driver(13000) == 90);
  CHECK(ptx_version_of_driver(99000) >= 91);
}

TEST_CASE("the architecture is the device's, or the nearest older one") {
  CHECK(target_of_device(90, 12080) == Target::nvptx(90, 87));
  CHECK(target_of_device(75, 12000) == Target::nvptx(75, 80));
  CHECK(target_of_device(82, 12000) == Target::nvptx(80, 80));
  CHECK(target_of_device(300, 13000) == Target::nvptx(121, 90));
  CHECK(target_of_device(100, 12040) == Target::nvptx(90, 84));  // PTX 8.4 does not have sm_100
  CHECK(target_of_device(70, 13000).sm == 0);
}

TEST_CASE("a target says what it is") {
  CHECK(Target::host().text() == "host");
  CHECK(Target::nvptx(90, 84).text() == "sm_90, PTX 8.4");
  CHECK(Target::nvptx(75).text() == "sm_75");
}
