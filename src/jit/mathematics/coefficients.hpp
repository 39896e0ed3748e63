// Made by scripts/fit-mathematics.py. Polynomials, low order first.
#pragma once

namespace oxide::mathematics {

// exp(x) for |x| <= log(2) / 2, for f32
inline constexpr double exp_coefficients[] = {
    0x1.ffffffffa70bbp-1, 0x1.ffffffffd389ap-1, 0x1.0000005c8e571p-1,  0x1.555555a270717p-3,
    0x1.5554649ac50c6p-5, 0x1.111080ab681e5p-7, 0x1.6da757602fdffp-10, 0x1.a1aa823106077p-13,
};

// (1 + 2x) erfcx(x) for x >= 0, in t = (x - 4) / (x + 4)
inline constexpr double erfcx_coefficients[] = {
    0x1.3ba5916e9fd7fp+0,   -0x1.1df1ad154a28ep-3,  0x1.f7f5df66fd7b5p-7,   0x1.16ecefcfa5342p-4,   -0x1.9ddb23c3e90c5p-4,
    0x1.7fee004e1312cp-4,   -0x1.0fb06dfe49094p-4,  0x1.3079edf66992fp-5,   -0x1.09623885391d1p-6,  0x1.49c6728d8f7d4p-8,
    -0x1.8d4a999e1af42p-11, -0x1.a1df2abbaddf5p-13, 0x1.3be033c67d86cp-13,  -0x1.9958ab3ba5c33p-16, -0x1.7881b41b9237dp-17,
    0x1.7f2369c34c9ffp-18,  0x1.386645c623edcp-22,  -0x1.bae01eb0d8ac7p-21, 0x1.52cb6cb440e9fp-24,  0x1.d8dd577cdf1c6p-24,
    -0x1.77b283fa2e4e6p-26, -0x1.f96a93e7cc6f0p-27, 0x1.0f809a563bdc6p-28,  0x1.ec1f75354e746p-30,  -0x1.279c6e4c55443p-31,
    -0x1.2e4a1567a7226p-33, 0x1.6fbfbc73f7b96p-35,
};

// gamma(2 + x) for 0 <= x <= 1, in t = 2 x - 1
inline constexpr double gamma_middle[] = {
    0x1.544fa6d47b390p+0,   0x1.de9585f1a7093p-2,   0x1.4f224d4b7e016p-3,   0x1.03f6d2fa4f509p-5,   0x1.c138b89493f18p-8,
    0x1.d0a9bc4930c69p-11,  0x1.5489cc6a2a52fp-13,  0x1.a55ed217389fcp-17,  0x1.8b8fcf9634138p-19,  0x1.0886c54a255fep-27,
    0x1.013bdf3ed25b2p-24,  -0x1.ad8a6403b13c5p-28, 0x1.e716b899c0986p-30,  -0x1.57e9db306423bp-32, 0x1.1e00287f05fcbp-34,
    -0x1.c091af402a4b9p-37, 0x1.ba4ea8bb96e0cp-39,  -0x1.650dbab79cb61p-41,
};

// gamma(x) / (sqrt(2 pi) x^(x - 1/2) exp(-x)) for x >= 8, in t = 1 / x
inline constexpr double gamma_stirling[] = {
    0x1.0000000000000p+0,   0x1.555555555555ap-4,  0x1.c71c71c70f670p-9,   -0x1.5f7268e7189d6p-9,
    -0x1.e13cffc290a67p-13, 0x1.9b1102a4f21e5p-11, 0x1.23a6d1b845c64p-14,  -0x1.34d4df3b0aba8p-11,
    -0x1.6407aaaebdf32p-14, 0x1.17d0815b59816p-10, -0x1.c9fcb3aa93c78p-11,
};

// I0(x) for 0 <= x <= 8, in z = x^2
inline constexpr double i0_small[] = {
    0x1.0000000000000p+0,   0x1.0000000000000p-2,   0x1.0000000000000p-6,   0x1.c71c71c71c71cp-12,  0x1.c71c71c71c71dp-18,
    0x1.23456789abcd9p-24,  0x1.02e85c0898bedp-31,  0x1.522a43f653aa2p-39,  0x1.522a43f666654p-47,  0x1.0b313288a95eap-55,
    0x1.56018877c8314p-64,  0x1.69ca9b2ab28eep-73,  0x1.4197c0a8efb93p-82,  0x1.e7234d338dcf4p-92,  0x1.3e3352e42ea89p-101,
    0x1.69325dbab53d2p-111, 0x1.709b2c0e6c550p-121, 0x1.1a26bb7ce9afap-131, 0x1.8123d0916f2f8p-141,
};

// I0(x) sqrt(x) exp(-x) for x >= 8, in t = 16 / x - 1
inline constexpr double i0_large[] = {
    0x1.9bd428ad249a5p-2,   0x1.b87969bb93bc0p-9,   0x1.1daa72b5e65fcp-13,  0x1.75e5ee702007ep-17,  0x1.8e513a0ac9181p-20,
    0x1.3f49ad6d6f0a1p-22,  0x1.7d0fa25980c1ap-24,  0x1.51cbf2b8d32b7p-25,  0x1.7219c8ee56ad4p-26,  0x1.03e3a46a554fap-27,
    -0x1.cd0a7f75b5267p-28, -0x1.ce4513f876844p-27, -0x1.7eff15504675ep-28, 0x1.087d59e67c7aep-27,  0x1.103d02e6bfeb6p-27,
    -0x1.0693a8366885ap-28, -0x1.dcd81d0c61d00p-28, 0x1.10973e09f287bp-29,  0x1.56f1d3b1b3a65p-28,  -0x1.1a39fc6f3bf71p-30,
    -0x1.8ab4cd3d4024dp-29, 0x1.e28f74bf3432cp-32,  0x1.4b8dc5e84385fp-30,  -0x1.1153c28a5c59fp-33, -0x1.60f60148f657cp-32,
    0x1.24d48c789b287p-36,  0x1.604db61ad3e69p-35,
};

// I1(x) / x for 0 <= x <= 8, in z = x^2
inline constexpr double i1_small[] = {
    0x1.0000000000000p-1,   0x1.0000000000000p-4,   0x1.5555555555555p-9,   0x1.c71c71c71c71dp-15, 0x1.6c16c16c16c12p-21,
    0x1.845c8a0ce51afp-28,  0x1.27e4fb77895f3p-35,  0x1.522a43f663617p-43,  0x1.2c9758d9e647ep-51, 0x1.ab81ea92b8d43p-60,
    0x1.f1769585b2ed0p-69,  0x1.e2639f38c280dp-78,  0x1.8bccbc39efef0p-87,  0x1.166ca01b1c9fdp-96, 0x1.52a1395b1fb3dp-106,
    0x1.7092efab539bap-116, 0x1.2bd6090e222a7p-126, 0x1.b1556b4761031p-136,
};

// I1(x) sqrt(x) exp(-x) for x >= 8, in t = 16 / x - 1
inline constexpr double i1_large[] = {
    0x1.8ebe783a84030p-2,   -0x1.3f796198ee63ap-7,  -0x1.cbc54df1ecf62p-13, -0x1.f89c2304b860ep-17, -0x1.ec8e1003fce04p-20,
    -0x1.761384ba8ebf9p-22, -0x1.ad8de57f3f4ffp-24, -0x1.7277b8802ae6ap-25, -0x1.91759fab32ad6p-26, -0x1.21de6538102d1p-27,
    0x1.cc06c41e1855bp-28,  0x1.e3a948c415f47p-27,  0x1.a69d58942c515p-28,  -0x1.0b4539bc94915p-27, -0x1.20a8e052b5bc0p-27,
    0x1.ff8b852ecf6d8p-29,  0x1.f378468033f11p-28,  -0x1.0183064563575p-29, -0x1.657e73fb0c495p-28, 0x1.07047fc5cbf74p-30,
    0x1.9ac4c401343e2p-29,  -0x1.c15e6112d1135p-32, -0x1.58ea81b215b37p-30, 0x1.fef895f7b3a4bp-34,  0x1.6f38e89af4230p-32,
    -0x1.12e7f21d2bffbp-36, -0x1.6ea1785f944dfp-35,
};

// J0(x) for 0 <= x <= 5, in t = 2 x^2 / 25 - 1
inline constexpr double j0_small[] = {
    -0x1.89fa76fbde14cp-2, -0x1.bb6730c0cc23cp-3,  0x1.6b38930cdf04ap-1,   -0x1.70d33a099edcfp-2,  0x1.5dc3d117614ddp-4,
    -0x1.8a5eb198bacfcp-7, 0x1.295dd8b3a8e5dp-10,  -0x1.42443d777e200p-14, 0x1.07a344cec4fcbp-18,  -0x1.518cf9924e072p-23,
    0x1.5bac0b6917211p-28, -0x1.2672c28b8bd88p-33, 0x1.a1e99d7ee7974p-39,  -0x1.f73d4a32357d1p-45,
};

// Y0(x) - (2 / pi) log(x) J0(x) for 0 <= x <= 5, in t = 2 x^2 / 25 - 1
inline constexpr double y0_small[] = {
    0x1.ef5591b23addcp-2,   -0x1.bb0a20bc8fa17p-2,  -0x1.e1dec550e2063p-2,  0x1.8dd73e3860a7fp-2,   -0x1.c8c5dcec55175p-4,
    0x1.20efffecdb202p-6,   -0x1.d898823c280f9p-10, 0x1.1084623b5261ap-13,  -0x1.d4ca0d2405a8bp-18, 0x1.38e97d038e939p-22,
    -0x1.4e026d205675cp-27, 0x1.23cf639f57016p-32,  -0x1.a9b9f9a1c7a16p-38, 0x1.06b223a56d301p-43,
};

// P of J0 and Y0 for x >= 5, in t = 50 / x^2 - 1
inline constexpr double p0[] = {
    0x1.ff4d0e58750e7p-1,   -0x1.5bfe8e449913ap-10, 0x1.24e857e028459p-15,  -0x1.4a2bb23e4f74ep-19, 0x1.3f88ef02513e3p-22,
    -0x1.b4ebab4f9b9d0p-25, 0x1.7bf9328f730f3p-27,  -0x1.8a9ac64b5e9a9p-29, 0x1.d5b84301ad9b1p-31,  -0x1.36c8377370d13p-32,
    0x1.c03a2f46ec8f0p-34,  -0x1.6fcb528569bd4p-35, 0x1.433c4930e8f91p-36,  -0x1.07e274d4b2ae6p-38, 0x1.edd8c4c272428p-43,
    -0x1.8bc9cb153288ap-38, 0x1.1ef5f9bc59658p-38,  0x1.41841f4d77ebap-39,  -0x1.004bf212a5b47p-39, -0x1.0bd6fac46b9dbp-40,
    0x1.6e83f9359a1d2p-41,
};

// x Q of J0 and Y0 for x >= 5, in t = 50 / x^2 - 1
inline constexpr double q0[] = {
    -0x1.fa53af1a412d6p-4,  0x1.5883682266e86p-10,  -0x1.09dd7055e93d4p-14, 0x1.a2b325e9d4fd8p-18,  -0x1.f9305710193a3p-21,
    0x1.953c8ad4010e6p-23,  -0x1.8e8e3b14876f0p-25, 0x1.c8e12693dba07p-27,  -0x1.271b53b187269p-28, 0x1.a369c35a589c9p-30,
    -0x1.4246b763bfbf1p-31, 0x1.0c64022c6d030p-32,  -0x1.dca51a76abdd1p-34, 0x1.56c2ff32f32b7p-35,  -0x1.c83213608ebdap-37,
    0x1.fe6cb0d006bdfp-36,  -0x1.a274dc99eb79dp-36, -0x1.6a9ce58effc88p-36, 0x1.6b69737a752adp-36,  0x1.714c84f7cf0eap-36,
    -0x1.415eccc6d4ab1p-36, -0x1.57e80a9e619fcp-37, 0x1.20cf5a5925d6bp-37,  0x1.5a1688f513e73p-39,  -0x1.0c8270da8bc4bp-39,
};

// J1(x) / x for 0 <= x <= 5, in t = 2 x^2 / 25 - 1
inline constexpr double j1_small[] = {
    0x1.1bc72971267d4p-5,   -0x1.d0ec415827b41p-3,  0x1.62127527f4ab2p-3,   -0x1.bfb2f7282aa00p-5,  0x1.3b7ef47a2f0cbp-7,
    -0x1.1d78d008a343bp-10, 0x1.68f044d7c0479p-14,  -0x1.5174d2efe8952p-18, 0x1.e612af10e4843p-23,  -0x1.16234c0231f2fp-27,
    0x1.031d4d86cfb6cp-32,  -0x1.90c4b6eb8beb3p-38, 0x1.05b3a1e57c029p-43,  -0x1.23efab3480a54p-49,
};

// (Y1(x) - (2 / pi) (log(x) J1(x) - 1 / x)) / x for 0 <= x <= 5, in t = 2 x^2 / 25 - 1
inline constexpr double y1_small[] = {
    0x1.1e34eda905916p-3,   0x1.75172069e41bbp-4,   -0x1.4e11f71d95a0fp-3,  0x1.0fc1d2bad4f78p-4,   -0x1.b82fcf4b7e778p-7,
    0x1.b5777b8435cccp-10,  -0x1.2893671e1f7a1p-13, 0x1.2508be43f0382p-17,  -0x1.b9b6abba6cbb1p-22, 0x1.06a94d242dc66p-26,
    -0x1.f9eb1c7cd3859p-32, 0x1.92d2eb1ca20ddp-37,  -0x1.0df75ee167f5fp-42, 0x1.3441777912ef2p-48,
};

// P of J1 and Y1 for x >= 5, in t = 50 / x^2 - 1
inline constexpr double p1[] = {
    0x1.00961eaac1aa9p+0,   0x1.25cb0665de39ep-9,   -0x1.800dd41108097p-15, 0x1.8fc8a45b70d58p-19,  -0x1.743c706653eaep-22,
    0x1.f17ff421d5534p-25,  -0x1.aa2adcb0f02bdp-27, 0x1.b5d262005f525p-29,  -0x1.02774e80b2f9cp-30, 0x1.53de2c668da9cp-32,
    -0x1.e7b62659258d1p-34, 0x1.8de9485f2e055p-35,  -0x1.5bfef70fafffbp-36, 0x1.21651016148c4p-38,  -0x1.514b01ba97b75p-42,
    0x1.a2f275ea05cdbp-38,  -0x1.2ee0c2fd59b86p-38, -0x1.524745cdd70c7p-39, 0x1.0d7deae41a4b6p-39,  0x1.1ac962a2ad0d6p-40,
    -0x1.825f0f2251ca0p-41,
};

// x Q of J1 and Y1 for x >= 5, in t = 50 / x^2 - 1
inline constexpr double q1[] = {
    0x1.7e0025755b90ep-2,   -0x1.e8dbf08d129eep-10, 0x1.4b4523f703f58p-14,  -0x1.ee9665e745b7cp-18, 0x1.21e1287c46899p-20,
    -0x1.c8b32072b089dp-23, 0x1.bb993a65ccdc4p-25,  -0x1.f7df57065cd7ap-27, 0x1.4321adb059fb9p-28,  -0x1.c8bb7c4323177p-30,
    0x1.5f315e99b7f35p-31,  -0x1.21b3093a5fa97p-32, 0x1.cb648f5e640d6p-34,  -0x1.71ddbc719fff3p-35, 0x1.785943f19da1dp-35,
    -0x1.0d579ed0d4154p-35, -0x1.66b50097c1a03p-36, 0x1.7aece77626681p-36,  0x1.c73c23c794d12p-36,  -0x1.8317ea488b0bdp-36,
    -0x1.b2a0f7150a5d3p-37, 0x1.6845363a27d12p-37,  0x1.de90e003c9426p-39,  -0x1.6af16aa64cb16p-39,
};

}  // namespace oxide::mathematics
