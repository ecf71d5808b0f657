const testMatch = ["<rootDir>/fake-timers.case.js"];

export default {
  projects: [
    { testMatch, fakeTimers: { enableGlobally: true } },
    { testMatch, fakeTimers: { enableGlobally: true, legacyFakeTimers: true } },
  ],
};
