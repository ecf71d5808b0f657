export default { testMatch: "failing.playwright.js", reporter: "line", outputDir: "reports" };
