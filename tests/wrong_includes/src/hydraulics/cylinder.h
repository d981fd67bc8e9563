#pragma once
#include "description/description.h"
#include "mechanics/joint.h"
#include "trunnion/model.h"
