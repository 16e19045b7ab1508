// Part of the declarations of OpenGL Mathematics: all of them are in one header.
#pragma once

#include <glm/glm.hpp>
