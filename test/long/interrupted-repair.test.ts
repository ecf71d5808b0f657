import { useFolder } from "../store/file/damages.ts";
import { describeInterruptions } from "../store/file/interruptions.ts";

useFolder();
describeInterruptions(1);
