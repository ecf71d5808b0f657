export default { testMatch: ["<rootDir>/shop.example.js"] };
