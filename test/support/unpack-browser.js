// Unpacks the Chromium of the package into the folder that TMPDIR names. It is a process of its own: the package
// reads and changes the environment, and unpacks its libraries only on the machines that this variable stands for.
process.env.AWS_EXECUTION_ENV = "AWS_Lambda_nodejs20.x";
const { default: chromium } = await import("@sparticuz/chromium");
await chromium.executablePath();
