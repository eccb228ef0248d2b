import math
import torch

RATE = 8000

# One second of a tone that rises from 500 to 1500 hertz, beside a steady one of 2500
t = torch.arange(RATE, dtype=torch.float64) / RATE
rising = torch.sin(2 * math.pi * (500 * t + 500 * t**2))
steady = 0.5 * torch.sin(2 * math.pi * 2500 * t)
signal = rising + steady

# Power in windows of 256 samples, every 128 samples
window = torch.hann_window(256, dtype=torch.float64)
spectrum = torch.stft(signal, n_fft=256, hop_length=128, window=window, return_complex=True)
power = spectrum.abs() ** 2
print(f"{power.size(0)} frequencies, {power.size(1)} times")

# The two loudest frequencies through time
for frame in range(5, 60, 10):
    column = power[:, frame].clone()
    first = column.argmax().item()
    column[max(first - 3, 0) : first + 4] = 0
    second = column.argmax().item()
    low, high = sorted([first * RATE / 256, second * RATE / 256])
    print(f"at {frame * 128 / RATE:.3f} s: {low:.1f} and {high:.1f} hertz")

print(10 * torch.log10(power[10:20, 20:24] + 1e-10))

# The signal again
restored = torch.istft(spectrum, n_fft=256, hop_length=128, window=window, length=RATE)
print(f"restored: {str((restored - signal).abs().max().item() < 1e-10).lower()}")
