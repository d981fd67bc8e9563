#pragma once
#include <base/units.h>

#include "base/missing.h"
#include "base/units.h"
#include "units.h"
