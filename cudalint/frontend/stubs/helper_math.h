// Arithmetic on the vector types, element by element.
#pragma once
#pragma clang force_cuda_host_device begin
inline float2 operator+(float2 a, float2 b) { return {a.x + b.x, a.y + b.y}; }
inline float2 operator+(float2 a, float b) { return {a.x + b, a.y + b}; }
inline float2 operator+(float a, float2 b) { return {a + b.x, a + b.y}; }
inline void operator+=(float2 &a, float2 b) { a = a + b; }
inline void operator+=(float2 &a, float b) { a = a + b; }
inline float2 operator-(float2 a, float2 b) { return {a.x - b.x, a.y - b.y}; }
inline float2 operator-(float2 a, float b) { return {a.x - b, a.y - b}; }
inline float2 operator-(float a, float2 b) { return {a - b.x, a - b.y}; }
inline void operator-=(float2 &a, float2 b) { a = a - b; }
inline void operator-=(float2 &a, float b) { a = a - b; }
inline float2 operator*(float2 a, float2 b) { return {a.x * b.x, a.y * b.y}; }
inline float2 operator*(float2 a, float b) { return {a.x * b, a.y * b}; }
inline float2 operator*(float a, float2 b) { return {a * b.x, a * b.y}; }
inline void operator*=(float2 &a, float2 b) { a = a * b; }
inline void operator*=(float2 &a, float b) { a = a * b; }
inline float2 operator/(float2 a, float2 b) { return {a.x / b.x, a.y / b.y}; }
inline float2 operator/(float2 a, float b) { return {a.x / b, a.y / b}; }
inline float2 operator/(float a, float2 b) { return {a / b.x, a / b.y}; }
inline void operator/=(float2 &a, float2 b) { a = a / b; }
inline void operator/=(float2 &a, float b) { a = a / b; }
inline float2 operator-(float2 a) { return {-a.x, -a.y}; }
inline float dot(float2 a, float2 b) { return a.x * b.x + a.y * b.y; }
inline float2 make_float2(float s) { return {s, s}; }
inline float2 fmin(float2 a, float2 b) { return {min(a.x, b.x), min(a.y, b.y)}; }
inline float2 fmax(float2 a, float2 b) { return {max(a.x, b.x), max(a.y, b.y)}; }
inline float2 clamp(float2 v, float low, float high) { return {max(low, min(v.x, high)), max(low, min(v.y, high))}; }
inline float2 lerp(float2 a, float2 b, float t) { return a + t * (b - a); }
inline float length(float2 v) { return sqrtf(dot(v, v)); }
inline float2 normalize(float2 v) { return v * rsqrtf(dot(v, v)); }
inline float2 fabs(float2 v) { return {fabsf(v.x), fabsf(v.y)}; }
inline float2 floorf(float2 v) { return {floorf(v.x), floorf(v.y)}; }
inline float2 fracf(float2 v) { return v - floorf(v); }
inline float3 operator+(float3 a, float3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline float3 operator+(float3 a, float b) { return {a.x + b, a.y + b, a.z + b}; }
inline float3 operator+(float a, float3 b) { return {a + b.x, a + b.y, a + b.z}; }
inline void operator+=(float3 &a, float3 b) { a = a + b; }
inline void operator+=(float3 &a, float b) { a = a + b; }
inline float3 operator-(float3 a, float3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline float3 operator-(float3 a, float b) { return {a.x - b, a.y - b, a.z - b}; }
inline float3 operator-(float a, float3 b) { return {a - b.x, a - b.y, a - b.z}; }
inline void operator-=(float3 &a, float3 b) { a = a - b; }
inline void operator-=(float3 &a, float b) { a = a - b; }
inline float3 operator*(float3 a, float3 b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
inline float3 operator*(float3 a, float b) { return {a.x * b, a.y * b, a.z * b}; }
inline float3 operator*(float a, float3 b) { return {a * b.x, a * b.y, a * b.z}; }
inline void operator*=(float3 &a, float3 b) { a = a * b; }
inline void operator*=(float3 &a, float b) { a = a * b; }
inline float3 operator/(float3 a, float3 b) { return {a.x / b.x, a.y / b.y, a.z / b.z}; }
inline float3 operator/(float3 a, float b) { return {a.x / b, a.y / b, a.z / b}; }
inline float3 operator/(float a, float3 b) { return {a / b.x, a / b.y, a / b.z}; }
inline void operator/=(float3 &a, float3 b) { a = a / b; }
inline void operator/=(float3 &a, float b) { a = a / b; }
inline float3 operator-(float3 a) { return {-a.x, -a.y, -a.z}; }
inline float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline float3 make_float3(float s) { return {s, s, s}; }
inline float3 fmin(float3 a, float3 b) { return {min(a.x, b.x), min(a.y, b.y), min(a.z, b.z)}; }
inline float3 fmax(float3 a, float3 b) { return {max(a.x, b.x), max(a.y, b.y), max(a.z, b.z)}; }
inline float3 clamp(float3 v, float low, float high) { return {max(low, min(v.x, high)), max(low, min(v.y, high)), max(low, min(v.z, high))}; }
inline float3 lerp(float3 a, float3 b, float t) { return a + t * (b - a); }
inline float length(float3 v) { return sqrtf(dot(v, v)); }
inline float3 normalize(float3 v) { return v * rsqrtf(dot(v, v)); }
inline float3 fabs(float3 v) { return {fabsf(v.x), fabsf(v.y), fabsf(v.z)}; }
inline float3 floorf(float3 v) { return {floorf(v.x), floorf(v.y), floorf(v.z)}; }
inline float3 fracf(float3 v) { return v - floorf(v); }
inline float4 operator+(float4 a, float4 b) { return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }
inline float4 operator+(float4 a, float b) { return {a.x + b, a.y + b, a.z + b, a.w + b}; }
inline float4 operator+(float a, float4 b) { return {a + b.x, a + b.y, a + b.z, a + b.w}; }
inline void operator+=(float4 &a, float4 b) { a = a + b; }
inline void operator+=(float4 &a, float b) { a = a + b; }
inline float4 operator-(float4 a, float4 b) { return {a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w}; }
inline float4 operator-(float4 a, float b) { return {a.x - b, a.y - b, a.z - b, a.w - b}; }
inline float4 operator-(float a, float4 b) { return {a - b.x, a - b.y, a - b.z, a - b.w}; }
inline void operator-=(float4 &a, float4 b) { a = a - b; }
inline void operator-=(float4 &a, float b) { a = a - b; }
inline float4 operator*(float4 a, float4 b) { return {a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w}; }
inline float4 operator*(float4 a, float b) { return {a.x * b, a.y * b, a.z * b, a.w * b}; }
inline float4 operator*(float a, float4 b) { return {a * b.x, a * b.y, a * b.z, a * b.w}; }
inline void operator*=(float4 &a, float4 b) { a = a * b; }
inline void operator*=(float4 &a, float b) { a = a * b; }
inline float4 operator/(float4 a, float4 b) { return {a.x / b.x, a.y / b.y, a.z / b.z, a.w / b.w}; }
inline float4 operator/(float4 a, float b) { return {a.x / b, a.y / b, a.z / b, a.w / b}; }
inline float4 operator/(float a, float4 b) { return {a / b.x, a / b.y, a / b.z, a / b.w}; }
inline void operator/=(float4 &a, float4 b) { a = a / b; }
inline void operator/=(float4 &a, float b) { a = a / b; }
inline float4 operator-(float4 a) { return {-a.x, -a.y, -a.z, -a.w}; }
inline float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
inline float4 make_float4(float s) { return {s, s, s, s}; }
inline float4 fmin(float4 a, float4 b) { return {min(a.x, b.x), min(a.y, b.y), min(a.z, b.z), min(a.w, b.w)}; }
inline float4 fmax(float4 a, float4 b) { return {max(a.x, b.x), max(a.y, b.y), max(a.z, b.z), max(a.w, b.w)}; }
inline float4 clamp(float4 v, float low, float high) { return {max(low, min(v.x, high)), max(low, min(v.y, high)), max(low, min(v.z, high)), max(low, min(v.w, high))}; }
inline float4 lerp(float4 a, float4 b, float t) { return a + t * (b - a); }
inline float length(float4 v) { return sqrtf(dot(v, v)); }
inline float4 normalize(float4 v) { return v * rsqrtf(dot(v, v)); }
inline float4 fabs(float4 v) { return {fabsf(v.x), fabsf(v.y), fabsf(v.z), fabsf(v.w)}; }
inline float4 floorf(float4 v) { return {floorf(v.x), floorf(v.y), floorf(v.z), floorf(v.w)}; }
inline float4 fracf(float4 v) { return v - floorf(v); }
inline float2 make_float2(int2 a) { return {(float)a.x, (float)a.y}; }
inline float3 make_float3(int3 a) { return {(float)a.x, (float)a.y, (float)a.z}; }
inline float4 make_float4(int4 a) { return {(float)a.x, (float)a.y, (float)a.z, (float)a.w}; }
inline float3 make_float3(float2 a, float z) { return {a.x, a.y, z}; }
inline float3 make_float3(float4 a) { return {a.x, a.y, a.z}; }
inline float2 make_float2(float3 a) { return {a.x, a.y}; }
inline float4 make_float4(float3 a) { return {a.x, a.y, a.z, 0}; }
inline float4 make_float4(float3 a, float w) { return {a.x, a.y, a.z, w}; }
inline int2 operator+(int2 a, int2 b) { return {a.x + b.x, a.y + b.y}; }
inline int2 operator+(int2 a, int b) { return {a.x + b, a.y + b}; }
inline int2 operator+(int a, int2 b) { return {a + b.x, a + b.y}; }
inline void operator+=(int2 &a, int2 b) { a = a + b; }
inline void operator+=(int2 &a, int b) { a = a + b; }
inline int2 operator-(int2 a, int2 b) { return {a.x - b.x, a.y - b.y}; }
inline int2 operator-(int2 a, int b) { return {a.x - b, a.y - b}; }
inline int2 operator-(int a, int2 b) { return {a - b.x, a - b.y}; }
inline void operator-=(int2 &a, int2 b) { a = a - b; }
inline void operator-=(int2 &a, int b) { a = a - b; }
inline int2 operator*(int2 a, int2 b) { return {a.x * b.x, a.y * b.y}; }
inline int2 operator*(int2 a, int b) { return {a.x * b, a.y * b}; }
inline int2 operator*(int a, int2 b) { return {a * b.x, a * b.y}; }
inline void operator*=(int2 &a, int2 b) { a = a * b; }
inline void operator*=(int2 &a, int b) { a = a * b; }
inline int2 operator/(int2 a, int2 b) { return {a.x / b.x, a.y / b.y}; }
inline int2 operator/(int2 a, int b) { return {a.x / b, a.y / b}; }
inline int2 operator/(int a, int2 b) { return {a / b.x, a / b.y}; }
inline void operator/=(int2 &a, int2 b) { a = a / b; }
inline void operator/=(int2 &a, int b) { a = a / b; }
inline int2 operator-(int2 a) { return {-a.x, -a.y}; }
inline int dot(int2 a, int2 b) { return a.x * b.x + a.y * b.y; }
inline int2 make_int2(int s) { return {s, s}; }
inline int2 min(int2 a, int2 b) { return {min(a.x, b.x), min(a.y, b.y)}; }
inline int2 max(int2 a, int2 b) { return {max(a.x, b.x), max(a.y, b.y)}; }
inline int2 clamp(int2 v, int low, int high) { return {max(low, min(v.x, high)), max(low, min(v.y, high))}; }
inline int3 operator+(int3 a, int3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline int3 operator+(int3 a, int b) { return {a.x + b, a.y + b, a.z + b}; }
inline int3 operator+(int a, int3 b) { return {a + b.x, a + b.y, a + b.z}; }
inline void operator+=(int3 &a, int3 b) { a = a + b; }
inline void operator+=(int3 &a, int b) { a = a + b; }
inline int3 operator-(int3 a, int3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline int3 operator-(int3 a, int b) { return {a.x - b, a.y - b, a.z - b}; }
inline int3 operator-(int a, int3 b) { return {a - b.x, a - b.y, a - b.z}; }
inline void operator-=(int3 &a, int3 b) { a = a - b; }
inline void operator-=(int3 &a, int b) { a = a - b; }
inline int3 operator*(int3 a, int3 b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
inline int3 operator*(int3 a, int b) { return {a.x * b, a.y * b, a.z * b}; }
inline int3 operator*(int a, int3 b) { return {a * b.x, a * b.y, a * b.z}; }
inline void operator*=(int3 &a, int3 b) { a = a * b; }
inline void operator*=(int3 &a, int b) { a = a * b; }
inline int3 operator/(int3 a, int3 b) { return {a.x / b.x, a.y / b.y, a.z / b.z}; }
inline int3 operator/(int3 a, int b) { return {a.x / b, a.y / b, a.z / b}; }
inline int3 operator/(int a, int3 b) { return {a / b.x, a / b.y, a / b.z}; }
inline void operator/=(int3 &a, int3 b) { a = a / b; }
inline void operator/=(int3 &a, int b) { a = a / b; }
inline int3 operator-(int3 a) { return {-a.x, -a.y, -a.z}; }
inline int dot(int3 a, int3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline int3 make_int3(int s) { return {s, s, s}; }
inline int3 min(int3 a, int3 b) { return {min(a.x, b.x), min(a.y, b.y), min(a.z, b.z)}; }
inline int3 max(int3 a, int3 b) { return {max(a.x, b.x), max(a.y, b.y), max(a.z, b.z)}; }
inline int3 clamp(int3 v, int low, int high) { return {max(low, min(v.x, high)), max(low, min(v.y, high)), max(low, min(v.z, high))}; }
inline int4 operator+(int4 a, int4 b) { return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }
inline int4 operator+(int4 a, int b) { return {a.x + b, a.y + b, a.z + b, a.w + b}; }
inline int4 operator+(int a, int4 b) { return {a + b.x, a + b.y, a + b.z, a + b.w}; }
inline void operator+=(int4 &a, int4 b) { a = a + b; }
inline void operator+=(int4 &a, int b) { a = a + b; }
inline int4 operator-(int4 a, int4 b) { return {a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w}; }
inline int4 operator-(int4 a, int b) { return {a.x - b, a.y - b, a.z - b, a.w - b}; }
inline int4 operator-(int a, int4 b) { return {a - b.x, a - b.y, a - b.z, a - b.w}; }
inline void operator-=(int4 &a, int4 b) { a = a - b; }
inline void operator-=(int4 &a, int b) { a = a - b; }
inline int4 operator*(int4 a, int4 b) { return {a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w}; }
inline int4 operator*(int4 a, int b) { return {a.x * b, a.y * b, a.z * b, a.w * b}; }
inline int4 operator*(int a, int4 b) { return {a * b.x, a * b.y, a * b.z, a * b.w}; }
inline void operator*=(int4 &a, int4 b) { a = a * b; }
inline void operator*=(int4 &a, int b) { a = a * b; }
inline int4 operator/(int4 a, int4 b) { return {a.x / b.x, a.y / b.y, a.z / b.z, a.w / b.w}; }
inline int4 operator/(int4 a, int b) { return {a.x / b, a.y / b, a.z / b, a.w / b}; }
inline int4 operator/(int a, int4 b) { return {a / b.x, a / b.y, a / b.z, a / b.w}; }
inline void operator/=(int4 &a, int4 b) { a = a / b; }
inline void operator/=(int4 &a, int b) { a = a / b; }
inline int4 operator-(int4 a) { return {-a.x, -a.y, -a.z, -a.w}; }
inline int dot(int4 a, int4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
inline int4 make_int4(int s) { return {s, s, s, s}; }
inline int4 min(int4 a, int4 b) { return {min(a.x, b.x), min(a.y, b.y), min(a.z, b.z), min(a.w, b.w)}; }
inline int4 max(int4 a, int4 b) { return {max(a.x, b.x), max(a.y, b.y), max(a.z, b.z), max(a.w, b.w)}; }
inline int4 clamp(int4 v, int low, int high) { return {max(low, min(v.x, high)), max(low, min(v.y, high)), max(low, min(v.z, high)), max(low, min(v.w, high))}; }
inline int2 make_int2(float2 a) { return {(int)a.x, (int)a.y}; }
inline int2 make_int2(uint2 a) { return {(int)a.x, (int)a.y}; }
inline int3 make_int3(float3 a) { return {(int)a.x, (int)a.y, (int)a.z}; }
inline int3 make_int3(uint3 a) { return {(int)a.x, (int)a.y, (int)a.z}; }
inline int4 make_int4(float4 a) { return {(int)a.x, (int)a.y, (int)a.z, (int)a.w}; }
inline int4 make_int4(uint4 a) { return {(int)a.x, (int)a.y, (int)a.z, (int)a.w}; }
inline int3 make_int3(int2 a, int z) { return {a.x, a.y, z}; }
inline int3 make_int3(int4 a) { return {a.x, a.y, a.z}; }
inline int2 make_int2(int3 a) { return {a.x, a.y}; }
inline int4 make_int4(int3 a) { return {a.x, a.y, a.z, 0}; }
inline int4 make_int4(int3 a, int w) { return {a.x, a.y, a.z, w}; }
inline uint2 operator+(uint2 a, uint2 b) { return {a.x + b.x, a.y + b.y}; }
inline uint2 operator+(uint2 a, unsigned b) { return {a.x + b, a.y + b}; }
inline uint2 operator+(unsigned a, uint2 b) { return {a + b.x, a + b.y}; }
inline void operator+=(uint2 &a, uint2 b) { a = a + b; }
inline void operator+=(uint2 &a, unsigned b) { a = a + b; }
inline uint2 operator-(uint2 a, uint2 b) { return {a.x - b.x, a.y - b.y}; }
inline uint2 operator-(uint2 a, unsigned b) { return {a.x - b, a.y - b}; }
inline uint2 operator-(unsigned a, uint2 b) { return {a - b.x, a - b.y}; }
inline void operator-=(uint2 &a, uint2 b) { a = a - b; }
inline void operator-=(uint2 &a, unsigned b) { a = a - b; }
inline uint2 operator*(uint2 a, uint2 b) { return {a.x * b.x, a.y * b.y}; }
inline uint2 operator*(uint2 a, unsigned b) { return {a.x * b, a.y * b}; }
inline uint2 operator*(unsigned a, uint2 b) { return {a * b.x, a * b.y}; }
inline void operator*=(uint2 &a, uint2 b) { a = a * b; }
inline void operator*=(uint2 &a, unsigned b) { a = a * b; }
inline uint2 operator/(uint2 a, uint2 b) { return {a.x / b.x, a.y / b.y}; }
inline uint2 operator/(uint2 a, unsigned b) { return {a.x / b, a.y / b}; }
inline uint2 operator/(unsigned a, uint2 b) { return {a / b.x, a / b.y}; }
inline void operator/=(uint2 &a, uint2 b) { a = a / b; }
inline void operator/=(uint2 &a, unsigned b) { a = a / b; }
inline unsigned dot(uint2 a, uint2 b) { return a.x * b.x + a.y * b.y; }
inline uint2 make_uint2(unsigned s) { return {s, s}; }
inline uint2 min(uint2 a, uint2 b) { return {min(a.x, b.x), min(a.y, b.y)}; }
inline uint2 max(uint2 a, uint2 b) { return {max(a.x, b.x), max(a.y, b.y)}; }
inline uint2 clamp(uint2 v, unsigned low, unsigned high) { return {max(low, min(v.x, high)), max(low, min(v.y, high))}; }
inline uint3 operator+(uint3 a, uint3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline uint3 operator+(uint3 a, unsigned b) { return {a.x + b, a.y + b, a.z + b}; }
inline uint3 operator+(unsigned a, uint3 b) { return {a + b.x, a + b.y, a + b.z}; }
inline void operator+=(uint3 &a, uint3 b) { a = a + b; }
inline void operator+=(uint3 &a, unsigned b) { a = a + b; }
inline uint3 operator-(uint3 a, uint3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline uint3 operator-(uint3 a, unsigned b) { return {a.x - b, a.y - b, a.z - b}; }
inline uint3 operator-(unsigned a, uint3 b) { return {a - b.x, a - b.y, a - b.z}; }
inline void operator-=(uint3 &a, uint3 b) { a = a - b; }
inline void operator-=(uint3 &a, unsigned b) { a = a - b; }
inline uint3 operator*(uint3 a, uint3 b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
inline uint3 operator*(uint3 a, unsigned b) { return {a.x * b, a.y * b, a.z * b}; }
inline uint3 operator*(unsigned a, uint3 b) { return {a * b.x, a * b.y, a * b.z}; }
inline void operator*=(uint3 &a, uint3 b) { a = a * b; }
inline void operator*=(uint3 &a, unsigned b) { a = a * b; }
inline uint3 operator/(uint3 a, uint3 b) { return {a.x / b.x, a.y / b.y, a.z / b.z}; }
inline uint3 operator/(uint3 a, unsigned b) { return {a.x / b, a.y / b, a.z / b}; }
inline uint3 operator/(unsigned a, uint3 b) { return {a / b.x, a / b.y, a / b.z}; }
inline void operator/=(uint3 &a, uint3 b) { a = a / b; }
inline void operator/=(uint3 &a, unsigned b) { a = a / b; }
inline unsigned dot(uint3 a, uint3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline uint3 make_uint3(unsigned s) { return {s, s, s}; }
inline uint3 min(uint3 a, uint3 b) { return {min(a.x, b.x), min(a.y, b.y), min(a.z, b.z)}; }
inline uint3 max(uint3 a, uint3 b) { return {max(a.x, b.x), max(a.y, b.y), max(a.z, b.z)}; }
inline uint3 clamp(uint3 v, unsigned low, unsigned high) { return {max(low, min(v.x, high)), max(low, min(v.y, high)), max(low, min(v.z, high))}; }
inline uint4 operator+(uint4 a, uint4 b) { return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }
inline uint4 operator+(uint4 a, unsigned b) { return {a.x + b, a.y + b, a.z + b, a.w + b}; }
inline uint4 operator+(unsigned a, uint4 b) { return {a + b.x, a + b.y, a + b.z, a + b.w}; }
inline void operator+=(uint4 &a, uint4 b) { a = a + b; }
inline void operator+=(uint4 &a, unsigned b) { a = a + b; }
inline uint4 operator-(uint4 a, uint4 b) { return {a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w}; }
inline uint4 operator-(uint4 a, unsigned b) { return {a.x - b, a.y - b, a.z - b, a.w - b}; }
inline uint4 operator-(unsigned a, uint4 b) { return {a - b.x, a - b.y, a - b.z, a - b.w}; }
inline void operator-=(uint4 &a, uint4 b) { a = a - b; }
inline void operator-=(uint4 &a, unsigned b) { a = a - b; }
inline uint4 operator*(uint4 a, uint4 b) { return {a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w}; }
inline uint4 operator*(uint4 a, unsigned b) { return {a.x * b, a.y * b, a.z * b, a.w * b}; }
inline uint4 operator*(unsigned a, uint4 b) { return {a * b.x, a * b.y, a * b.z, a * b.w}; }
inline void operator*=(uint4 &a, uint4 b) { a = a * b; }
inline void operator*=(uint4 &a, unsigned b) { a = a * b; }
inline uint4 operator/(uint4 a, uint4 b) { return {a.x / b.x, a.y / b.y, a.z / b.z, a.w / b.w}; }
inline uint4 operator/(uint4 a, unsigned b) { return {a.x / b, a.y / b, a.z / b, a.w / b}; }
inline uint4 operator/(unsigned a, uint4 b) { return {a / b.x, a / b.y, a / b.z, a / b.w}; }
inline void operator/=(uint4 &a, uint4 b) { a = a / b; }
inline void operator/=(uint4 &a, unsigned b) { a = a / b; }
inline unsigned dot(uint4 a, uint4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
inline uint4 make_uint4(unsigned s) { return {s, s, s, s}; }
inline uint4 min(uint4 a, uint4 b) { return {min(a.x, b.x), min(a.y, b.y), min(a.z, b.z), min(a.w, b.w)}; }
inline uint4 max(uint4 a, uint4 b) { return {max(a.x, b.x), max(a.y, b.y), max(a.z, b.z), max(a.w, b.w)}; }
inline uint4 clamp(uint4 v, unsigned low, unsigned high) { return {max(low, min(v.x, high)), max(low, min(v.y, high)), max(low, min(v.z, high)), max(low, min(v.w, high))}; }
inline uint2 make_uint2(int2 a) { return {(unsigned)a.x, (unsigned)a.y}; }
inline uint3 make_uint3(int3 a) { return {(unsigned)a.x, (unsigned)a.y, (unsigned)a.z}; }
inline uint4 make_uint4(int4 a) { return {(unsigned)a.x, (unsigned)a.y, (unsigned)a.z, (unsigned)a.w}; }
inline uint3 make_uint3(uint2 a, unsigned z) { return {a.x, a.y, z}; }
inline uint3 make_uint3(uint4 a) { return {a.x, a.y, a.z}; }
inline uint2 make_uint2(uint3 a) { return {a.x, a.y}; }
inline uint4 make_uint4(uint3 a) { return {a.x, a.y, a.z, 0}; }
inline uint4 make_uint4(uint3 a, unsigned w) { return {a.x, a.y, a.z, w}; }
inline float2 make_float2(uint2 a) { return {(float)a.x, (float)a.y}; }
inline float3 make_float3(float2 a) { return {a.x, a.y, 0.0f}; }
inline float3 make_float3(uint3 a) { return {(float)a.x, (float)a.y, (float)a.z}; }
inline int3 make_int3(int2 a) { return {a.x, a.y, 0}; }
inline uint3 make_uint3(uint2 a) { return {a.x, a.y, 0}; }
inline float4 make_float4(uint4 a) { return {(float)a.x, (float)a.y, (float)a.z, (float)a.w}; }
inline float2 fminf(float2 a, float2 b) { return {fminf(a.x, b.x), fminf(a.y, b.y)}; }
inline float2 fmaxf(float2 a, float2 b) { return {fmaxf(a.x, b.x), fmaxf(a.y, b.y)}; }
inline float2 fmodf(float2 a, float2 b) { return {fmodf(a.x, b.x), fmodf(a.y, b.y)}; }
inline float2 clamp(float2 v, float2 low, float2 high) { return {fmaxf(low.x, fminf(v.x, high.x)), fmaxf(low.y, fminf(v.y, high.y))}; }
inline int2 clamp(int2 v, int2 low, int2 high) { return {max(low.x, min(v.x, high.x)), max(low.y, min(v.y, high.y))}; }
inline uint2 clamp(uint2 v, uint2 low, uint2 high) { return {max(low.x, min(v.x, high.x)), max(low.y, min(v.y, high.y))}; }
inline int2 abs(int2 v) { return {abs(v.x), abs(v.y)}; }
inline float3 fminf(float3 a, float3 b) { return {fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z)}; }
inline float3 fmaxf(float3 a, float3 b) { return {fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z)}; }
inline float3 fmodf(float3 a, float3 b) { return {fmodf(a.x, b.x), fmodf(a.y, b.y), fmodf(a.z, b.z)}; }
inline float3 clamp(float3 v, float3 low, float3 high) { return {fmaxf(low.x, fminf(v.x, high.x)), fmaxf(low.y, fminf(v.y, high.y)), fmaxf(low.z, fminf(v.z, high.z))}; }
inline int3 clamp(int3 v, int3 low, int3 high) { return {max(low.x, min(v.x, high.x)), max(low.y, min(v.y, high.y)), max(low.z, min(v.z, high.z))}; }
inline uint3 clamp(uint3 v, uint3 low, uint3 high) { return {max(low.x, min(v.x, high.x)), max(low.y, min(v.y, high.y)), max(low.z, min(v.z, high.z))}; }
inline int3 abs(int3 v) { return {abs(v.x), abs(v.y), abs(v.z)}; }
inline float4 fminf(float4 a, float4 b) { return {fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z), fminf(a.w, b.w)}; }
inline float4 fmaxf(float4 a, float4 b) { return {fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z), fmaxf(a.w, b.w)}; }
inline float4 fmodf(float4 a, float4 b) { return {fmodf(a.x, b.x), fmodf(a.y, b.y), fmodf(a.z, b.z), fmodf(a.w, b.w)}; }
inline float4 clamp(float4 v, float4 low, float4 high) { return {fmaxf(low.x, fminf(v.x, high.x)), fmaxf(low.y, fminf(v.y, high.y)), fmaxf(low.z, fminf(v.z, high.z)), fmaxf(low.w, fminf(v.w, high.w))}; }
inline int4 clamp(int4 v, int4 low, int4 high) { return {max(low.x, min(v.x, high.x)), max(low.y, min(v.y, high.y)), max(low.z, min(v.z, high.z)), max(low.w, min(v.w, high.w))}; }
inline uint4 clamp(uint4 v, uint4 low, uint4 high) { return {max(low.x, min(v.x, high.x)), max(low.y, min(v.y, high.y)), max(low.z, min(v.z, high.z)), max(low.w, min(v.w, high.w))}; }
inline int4 abs(int4 v) { return {abs(v.x), abs(v.y), abs(v.z), abs(v.w)}; }
inline float3 cross(float3 a, float3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
inline float3 reflect(float3 i, float3 n) { return i - 2.0f * n * dot(n, i); }
inline float lerp(float a, float b, float t) { return a + t * (b - a); }
inline float clamp(float v, float low, float high) { return fmaxf(low, fminf(v, high)); }
inline int clamp(int v, int low, int high) { return max(low, min(v, high)); }
inline unsigned clamp(unsigned v, unsigned low, unsigned high) { return max(low, min(v, high)); }
inline float fracf(float v) { return v - floorf(v); }
inline float smoothstep(float a, float b, float x) { float y = clamp((x - a) / (b - a), 0.0f, 1.0f); return y * y * (3.0f - 2.0f * y); }
inline float2 smoothstep(float2 a, float2 b, float2 x) { float2 y = clamp((x - a) / (b - a), 0.0f, 1.0f); return y * y * (3.0f - 2.0f * y); }
inline float3 smoothstep(float3 a, float3 b, float3 x) { float3 y = clamp((x - a) / (b - a), 0.0f, 1.0f); return y * y * (3.0f - 2.0f * y); }
inline float4 smoothstep(float4 a, float4 b, float4 x) { float4 y = clamp((x - a) / (b - a), 0.0f, 1.0f); return y * y * (3.0f - 2.0f * y); }
#pragma clang force_cuda_host_device end
