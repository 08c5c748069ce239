// SPDX-License-Identifier: BSD-3-Clause
// Rust interface of corpus.h.
#[allow(dead_code)]
mod corpus {
    use std::os::raw::c_void;

    pub const COUNT: usize = 1 << 14;

    extern "C" {
        fn corpus_truth(start: *const c_void, bytes: usize, truth: *const u8);
        pub fn corpus_compute();
        fn corpus_use(start: *const c_void);
    }

    // The text ends with a semicolon.
    #[inline(always)]
    pub fn truth<T>(slice: &[T], text: &'static str) {
        assert!(text.ends_with(';'));
        unsafe {
            corpus_truth(slice.as_ptr().cast(), std::mem::size_of_val(slice), text.as_ptr());
            corpus_use(slice.as_ptr().cast());
        }
    }
}
