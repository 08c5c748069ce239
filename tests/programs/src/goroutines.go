// SPDX-License-Identifier: BSD-3-Clause
// Goroutines, garbage, and a process, in a program without the C library.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
)

func main() {
	var group sync.WaitGroup
	var lock sync.Mutex
	sum := 0
	for i := 0; i < 500; i++ {
		group.Add(1)
		go func(number int) {
			defer group.Done()
			block := make([]byte, 10000+number)
			lock.Lock()
			sum += len(block)
			lock.Unlock()
		}(i)
	}
	group.Wait()
	runtime.GC()
	output, err := exec.Command("sh", "-c", "echo child; exit 3").Output()
	fmt.Printf("%d %q %v\n", sum, output, err)
	os.Exit(4)
}
