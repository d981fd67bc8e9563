// Outside the core.
#pragma once
#include <fstream>
