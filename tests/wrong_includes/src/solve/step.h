// In the core: no modules outside it, no other libraries, no files.
#pragma once
#include <cvode/cvode.h>
#include <unistd.h>
#include <Eigen/Core>
#include <algorithm>
#include <fstream>
#include "base/units.h"
#include "file/csv.h"
