#pragma once
#include <Eigen/Dense>
#include <string>

#include "base/units.h"
#include "trunnion/version.h"
