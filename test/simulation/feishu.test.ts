/** The other half: one or two of the three platforms are Feishu, by its real adapter over a transport in memory. */
import { courses, half } from "./courses.ts"

courses("with Feishu among the platforms", half(1))
