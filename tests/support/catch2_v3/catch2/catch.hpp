// Catch2 3 has no catch.hpp; the tests are written for either version.
#pragma once

#include <catch2/catch_all.hpp>

using Catch::Approx;
