#pragma once
#include <Eigen/Dense>
#include <vector>

#include "base/units.h"
#include "description/description.h"
