#pragma once
#include "base/units.h"
