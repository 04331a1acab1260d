/** Half of the seeds: three platforms in memory, of different shapes. */
import { courses, half } from "./courses.ts"

courses("among platforms in memory", half(0))
