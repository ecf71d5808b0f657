import { describeFaces } from "../http/faces/equal-faces.ts";

describeFaces(1);
