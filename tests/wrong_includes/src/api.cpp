#include "hydraulics/cylinder.h"
#include "mechanics/joint.h"
#include "trunnion/model.h"
