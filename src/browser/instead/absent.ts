throw new Error("This part of the sandbox does not run in a tab.");
